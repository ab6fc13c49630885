module cupel.invalid/log-client

go 1.25.0

require (
	github.com/transparency-dev/formats v0.1.0
	golang.org/x/mod v0.35.0
)
