import 'node:https'
export {}
