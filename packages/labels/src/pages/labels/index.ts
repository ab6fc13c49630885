/** Labels of the account itself, and the search of what lists state. */
import type { Page } from '@cupel/console'
import { searchLabels } from './search-labels.js'
import { removeOwnLabel, showOwnLabels, stateOwnLabel } from './show-own-labels.js'

export const labelPages: readonly Page[] = [showOwnLabels, stateOwnLabel, removeOwnLabel, searchLabels]
