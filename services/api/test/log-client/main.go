// A client of C2SP tlog-tiles made of the published Go modules alone: it reads a log over HTTP, as any auditor may, and checks all of it.
//
//	log-client URL-PREFIX ORIGIN VERIFIER-KEY EARLIER-CHECKPOINT-FILE
//
// The API key is in CUPEL_API_KEY. Prints what was checked as JSON; ends with 1 where anything does not hold.
package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	f_log "github.com/transparency-dev/formats/log"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const tileHeight = 8
const tileWidth = 1 << tileHeight

type client struct {
	prefix, key string
	fetched     int
}

func (c *client) get(path string) []byte {
	request, err := http.NewRequest("GET", c.prefix+"/"+path, nil)
	check(err)
	request.Header.Set("Authorization", "Bearer "+c.key)
	answer, err := http.DefaultClient.Do(request)
	check(err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	check(err)
	if answer.StatusCode != http.StatusOK {
		check(fmt.Errorf("%s: %d %s", path, answer.StatusCode, body))
	}
	c.fetched++
	return body
}

// Of tlog.TileReader. The module puts the height into the path, and C2SP leaves it out.
func (c *client) Height() int                         { return tileHeight }
func (c *client) SaveTiles(_ []tlog.Tile, _ [][]byte) {}
func (c *client) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	var data [][]byte
	for _, tile := range tiles {
		data = append(data, c.get(strings.Replace(tile.Path(), "tile/8/", "tile/", 1)))
	}
	return data, nil
}

func (c *client) entries(size int64) [][]byte {
	var entries [][]byte
	for n := int64(0); n*tileWidth < size; n++ {
		tile := tlog.Tile{H: tileHeight, L: 0, N: n, W: int(min(tileWidth, size-n*tileWidth))}
		path := strings.Replace(tile.Path(), "tile/8/0/", "tile/entries/", 1)
		for bundle := c.get(path); len(bundle) > 0; {
			length := int(binary.BigEndian.Uint16(bundle))
			entries = append(entries, bundle[2:2+length])
			bundle = bundle[2+length:]
		}
	}
	return entries
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func open(text []byte, origin string, verifier note.Verifier) tlog.Tree {
	checkpoint, _, _, err := f_log.ParseCheckpoint(text, origin, verifier)
	check(err)
	tree := tlog.Tree{N: int64(checkpoint.Size)}
	if copy(tree.Hash[:], checkpoint.Hash) != tlog.HashSize {
		check(fmt.Errorf("a root of %d bytes", len(checkpoint.Hash)))
	}
	return tree
}

func main() {
	prefix, origin, key, earlierFile := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	verifier, err := note.NewVerifier(key)
	check(err)
	c := &client{prefix: prefix, key: os.Getenv("CUPEL_API_KEY")}
	tree := open(c.get("checkpoint"), origin, verifier)
	earlierText, err := os.ReadFile(earlierFile)
	check(err)
	earlier := open(earlierText, origin, verifier)

	// The reader of the module holds each tile against the root before it gives a hash of it.
	reader := tlog.TileHashReader(tree, c)
	entries := c.entries(tree.N)
	if int64(len(entries)) != tree.N {
		check(fmt.Errorf("%d entries of a tree of %d leaves", len(entries), tree.N))
	}
	for n, entry := range entries {
		proof, err := tlog.ProveRecord(tree.N, int64(n), reader)
		check(err)
		check(tlog.CheckRecord(proof, tree.N, tree.Hash, int64(n), tlog.RecordHash(entry)))
	}
	proof, err := tlog.ProveTree(tree.N, earlier.N, reader)
	check(err)
	check(tlog.CheckTree(proof, tree.N, tree.Hash, earlier.N, earlier.Hash))
	check(json.NewEncoder(os.Stdout).Encode(map[string]int64{
		"size": tree.N, "entries": int64(len(entries)), "earlier": earlier.N, "fetched": int64(c.fetched),
	}))
}
