# Stops GNU make and bmake where rules.sh failed, which has said why.
.error $(error mk/rules.sh failed)mk/rules.sh failed
