import 'zod'
export {}
