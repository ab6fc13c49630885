// The published witness of transparency-dev, and the published modules as a verifier of what it cosigned.
//
//	go-witness serve ORIGIN LOG-KEY             a witness on a free port; prints its url, name and vkey as JSON, and ends with its input
//	go-witness open ORIGIN LOG-KEY VKEY...      opens the checkpoint on its input; prints its size and the names of its signers as JSON
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"

	f_log "github.com/transparency-dev/formats/log"
	f_note "github.com/transparency-dev/formats/note"
	"github.com/transparency-dev/witness/persistence/inmemory"
	"github.com/transparency-dev/witness/witness"
	"golang.org/x/mod/sumdb/note"
)

const name = "go.witness.example/w1"

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(origin string, key note.Verifier) {
	skey, vkey, err := note.GenerateKey(rand.Reader, name)
	check(err)
	vkey, err = f_note.VKeyToCosignatureV1(vkey)
	check(err)
	signer, err := f_note.NewSignerForCosignatureV1(skey)
	check(err)
	w, err := witness.New(context.Background(), witness.Opts{
		Persistence: inmemory.New(),
		Signers:     []note.Signer{signer},
		VerifierForLog: func(_ context.Context, asked string) (note.Verifier, bool, error) {
			return key, asked == origin, nil
		},
	})
	check(err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /add-checkpoint", witness.NewHTTPHandler(w).AddCheckpoint)
	go func() { check(http.Serve(listener, mux)) }()
	check(json.NewEncoder(os.Stdout).Encode(map[string]string{
		"url": fmt.Sprintf("http://%s/", listener.Addr()), "name": name, "vkey": vkey,
	}))
	_, _ = io.Copy(io.Discard, os.Stdin)
}

func open(origin string, key note.Verifier, vkeys []string) {
	var witnesses []note.Verifier
	for _, vkey := range vkeys {
		verifier, err := f_note.NewVerifierForCosignatureV1(vkey)
		check(err)
		witnesses = append(witnesses, verifier)
	}
	text, err := io.ReadAll(os.Stdin)
	check(err)
	checkpoint, _, opened, err := f_log.ParseCheckpoint(text, origin, key, witnesses...)
	check(err)
	signers := []string{}
	for _, signature := range opened.Sigs {
		signers = append(signers, signature.Name)
	}
	check(json.NewEncoder(os.Stdout).Encode(map[string]any{"size": checkpoint.Size, "signers": signers}))
}

func main() {
	mode, origin := os.Args[1], os.Args[2]
	key, err := note.NewVerifier(os.Args[3])
	check(err)
	if mode == "serve" {
		serve(origin, key)
	} else {
		open(origin, key, os.Args[4:])
	}
}
