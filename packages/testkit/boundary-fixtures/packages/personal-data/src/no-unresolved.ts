import './nowhere.js'
export {}
