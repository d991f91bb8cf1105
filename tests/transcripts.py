"""
Takes the transcripts of README and the manual pages again, or checks them.

    transcripts.py BUILDDIR [--exact | --check] FILE...

A comment before a literal block marks it:

    .\\" transcript: FILTER          (README: <!-- transcript: FILTER -->)
    .\\" transcript exact: FILTER
    .\\" setup: COMMAND

The block's lines that begin with "$ ", with their continuations, are the
command; its output, through the shell filter if there is one, replaces the rest
of the block.  A file's commands share a directory, so that one can use another's
result.  --exact and --check run only those marked exact, whose output is the same
on every machine, and setups; --check changes no file and fails if a block
differs, if a filter leaves nothing, or if a file has no such block.
"""
import os
import re
import subprocess
import sys
import tempfile

MARK = re.compile(r'(?:\.\\"|<!--) (transcript exact|transcript|setup)'
                  r'(?::\s*(.*?))?(?: -->)?$')


def run(command, where, path):
    env = dict(os.environ, PATH=path + os.pathsep + os.environ['PATH'])
    return subprocess.run(['sh', '-c', command], cwd=where, env=env, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False).stdout


def escape(line):
    line = line.replace('\\', '\\e')
    return '\\&' + line if line[:1] in ('.', "'") else line


def shell(lines):
    """The command of a block's lines."""
    words = [line[2:] for line in lines]
    return '\n'.join(words).replace('\\e', '\\')


def update(name, path, exact):
    """The file's lines as they should be, those that differ, a count of all."""
    page = open(name, encoding='utf-8').read().split('\n')
    mdoc = not name.endswith('.md')
    end = '.Ed' if mdoc else '```'
    made, wrong, i, blocks = [], [], 0, 0
    with tempfile.TemporaryDirectory() as where:
        while i < len(page):
            made.append(page[i])
            mark = MARK.match(page[i])
            i += 1
            if not mark:
                continue
            kind, text = mark.groups()
            if kind == 'setup':
                run(text, where, path)
                continue
            made.append(page[i])
            last = page.index(end, i + 1)
            head = i + 2
            while page[head].startswith('>'):
                head += 1
            command = page[i + 1:head]
            made += command
            if exact and 'exact' not in kind:
                made += page[head:last]
            else:
                out = run('{ %s\n} 2>&1%s' % (shell(command),
                          ' | ' + text if text else ''), where, path)
                out = out.rstrip('\n').split('\n')
                out = [escape(line) for line in out] if mdoc else out
                made += out
                blocks += 1
                if out == [''] or out != page[head:last]:
                    wrong.append((command[0], out))
            i = last
    return made, wrong, blocks


def main():
    path = os.path.abspath(sys.argv[1])
    files = [a for a in sys.argv[2:] if a not in ('--check', '--exact')]
    check = '--check' in sys.argv
    exact = check or '--exact' in sys.argv
    failed = False
    for name in files:
        made, wrong, blocks = update(name, path, exact)
        if not check:
            open(name, 'w', encoding='utf-8').write('\n'.join(made))
        if check and blocks == 0:
            print('%s: no exact transcript' % name)
            failed = True
        for command, out in wrong if check else []:
            print('%s: "%s" prints now:\n%s' % (name, command,
                  '\n'.join(out)))
            failed = True
    sys.exit(failed)


main()
