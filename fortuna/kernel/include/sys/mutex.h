#include <kern.h>
