/** The looks of all pages that `looks.contract` leaves out. */
import { otherPages, testLooks } from './looks.js'

testLooks(otherPages)
