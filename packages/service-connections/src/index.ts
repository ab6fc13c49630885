export { connectService, type Connections, type ConnectOptions } from './connect-service.js'
