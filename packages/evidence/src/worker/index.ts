export { askWitnesses, witnessesIn } from './ask-witnesses.js'
