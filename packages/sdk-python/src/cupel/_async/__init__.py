"""The asynchronous client. `npm run generate` makes the synchronous one of it: every rule is written once."""
