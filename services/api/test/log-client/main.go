// An auditor with published Go modules alone: what it trusts is a policy of C2SP (tlog-policy), and nothing else.
//
//	log-client tiles URL-PREFIX POLICY EARLIER-CHECKPOINT-FILE    checks all of a log with x/mod, and that it extends an earlier state
//	log-client fsck URL-PREFIX POLICY                             checks all of a log with the fsck of Tessera
//	log-client proof PROOF-FILE POLICY                            checks a proof with torchwood
//
// An API key, if one is needed, is in CUPEL_API_KEY. Prints what was checked as JSON; ends with 1 where anything does not hold.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"strings"

	"filippo.io/torchwood"
	"github.com/transparency-dev/merkle/rfc6962"
	"github.com/transparency-dev/tessera/client"
	"github.com/transparency-dev/tessera/fsck"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const tileWidth = 1 << torchwood.TileHeight

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func read(file string) []byte {
	data, err := os.ReadFile(file)
	check(err)
	return data
}

func policyOf(file string) torchwood.Policy {
	policy, err := torchwood.ParsePolicy(read(file))
	check(err)
	return policy
}

// The first log of the policy, for modules that take no policies.
func logOf(file string) note.Verifier {
	for _, line := range strings.Split(string(read(file)), "\n") {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "log" {
			verifier, err := note.NewVerifier(fields[1])
			check(err)
			return verifier
		}
	}
	check(fmt.Errorf("the policy names no log"))
	return nil
}

func open(text []byte, policy torchwood.Policy) tlog.Tree {
	checkpoint, _, err := torchwood.VerifyCheckpoint(text, policy)
	check(err)
	return checkpoint.Tree
}

func fetcherOf(prefix string) *client.HTTPFetcher {
	root, err := url.Parse(prefix + "/")
	check(err)
	fetcher, err := client.NewHTTPFetcher(root, nil)
	check(err)
	if key := os.Getenv("CUPEL_API_KEY"); key != "" {
		fetcher.SetAuthorizationHeader("Bearer " + key)
	}
	return fetcher
}

func entriesOf(bundle []byte) [][]byte {
	var entries [][]byte
	for len(bundle) > 0 {
		entry, rest, err := torchwood.ReadTileEntry(bundle)
		check(err)
		entries, bundle = append(entries, entry), rest
	}
	return entries
}

// Of tlog.TileReader.
type tiles struct {
	*client.HTTPFetcher
	known map[tlog.Tile][]byte
}

func (t *tiles) Height() int                         { return torchwood.TileHeight }
func (t *tiles) SaveTiles(_ []tlog.Tile, _ [][]byte) {}
func (t *tiles) ReadTiles(asked []tlog.Tile) ([][]byte, error) {
	var data [][]byte
	for _, tile := range asked {
		if t.known[tile] == nil {
			bytes, err := t.ReadTile(context.Background(), uint64(tile.L), uint64(tile.N), uint8(tile.W%tileWidth))
			if err != nil {
				return nil, err
			}
			t.known[tile] = bytes
		}
		data = append(data, t.known[tile])
	}
	return data, nil
}

func checkTiles(prefix, policyFile, earlierFile string) map[string]int64 {
	policy := policyOf(policyFile)
	t := &tiles{HTTPFetcher: fetcherOf(prefix), known: map[tlog.Tile][]byte{}}
	text, err := t.ReadCheckpoint(context.Background())
	check(err)
	tree, earlier := open(text, policy), open(read(earlierFile), policy)

	var entries [][]byte
	for n := int64(0); n*tileWidth < tree.N; n++ {
		bundle, err := t.ReadEntryBundle(context.Background(), uint64(n), uint8(min(tileWidth, tree.N-n*tileWidth)%tileWidth))
		check(err)
		entries = append(entries, entriesOf(bundle)...)
	}
	if int64(len(entries)) != tree.N {
		check(fmt.Errorf("%d entries of a tree of %d leaves", len(entries), tree.N))
	}
	// The reader of the module holds each tile against the root before it gives a hash of it.
	reader := tlog.TileHashReader(tree, t)
	for n, entry := range entries {
		proof, err := tlog.ProveRecord(tree.N, int64(n), reader)
		check(err)
		check(tlog.CheckRecord(proof, tree.N, tree.Hash, int64(n), tlog.RecordHash(entry)))
	}
	proof, err := tlog.ProveTree(tree.N, earlier.N, reader)
	check(err)
	check(tlog.CheckTree(proof, tree.N, tree.Hash, earlier.N, earlier.Hash))
	return map[string]int64{"size": tree.N, "entries": int64(len(entries)), "earlier": earlier.N, "fetched": int64(len(t.known))}
}

func runFsck(prefix, policyFile string) map[string]int64 {
	key := logOf(policyFile)
	hashes := func(bundle []byte) ([][]byte, error) {
		var hashes [][]byte
		for _, entry := range entriesOf(bundle) {
			hashes = append(hashes, rfc6962.DefaultHasher.HashLeaf(entry))
		}
		return hashes, nil
	}
	f := fsck.New(key.Name(), key, fetcherOf(prefix), hashes, fsck.Opts{N: 2})
	check(f.Check(context.Background()))
	return map[string]int64{"resources": int64(f.Status().ResourcesFetched)}
}

func checkProof(proofFile, policyFile string) map[string]int64 {
	proof := read(proofFile)
	extra, err := torchwood.ProofExtraData(proof)
	check(err)
	// The salt of the report, and then the leaf up to the end of its line.
	leaf, _, _ := bytes.Cut(extra[32:], []byte("\n"))
	check(torchwood.VerifyProof(policyOf(policyFile), tlog.RecordHash(leaf), proof))
	return map[string]int64{"leaf": int64(len(leaf))}
}

func main() {
	var checked map[string]int64
	switch os.Args[1] {
	case "tiles":
		checked = checkTiles(os.Args[2], os.Args[3], os.Args[4])
	case "fsck":
		checked = runFsck(os.Args[2], os.Args[3])
	case "proof":
		checked = checkProof(os.Args[2], os.Args[3])
	}
	check(json.NewEncoder(os.Stdout).Encode(checked))
}
