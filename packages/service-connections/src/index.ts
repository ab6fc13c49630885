export {
  connectService,
  requireVerifiedConnections,
  type Connections,
  type ConnectOptions,
} from './connect-service.js'
