/** POST /demo: turns the demo on or off. */
import { fieldOf, redirect, type Page } from '@cupel/console'
import { API_DEMO } from './demo.js'

export const changeDemo: Page = {
  method: 'POST',
  path: '/demo',
  access: 'session',
  async handle({ api, form }) {
    await api.send('POST', API_DEMO, { is_on: fieldOf(form, 'is_on') === 'yes' })
    // A page with a fragment in its URL does not load again by itself.
    return redirect('/')
  },
}
