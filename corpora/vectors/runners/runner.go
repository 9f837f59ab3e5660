// Vectors for Go:  gzip -dc core.json.gz | go run runner.go tokenizer.json
// Put your library into tokenizer; it gives an error where it refuses. Streams and settings are left out.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

type tokenizer struct{} // a toy, whose ids are the bytes of UTF-8

func load(path string) tokenizer { return tokenizer{} }

func (tokenizer) encode(text string, addSpecialTokens bool) ([]uint32, error) {
	ids := []uint32{}
	for _, one := range []byte(text) {
		ids = append(ids, uint32(one))
	}
	return ids, nil
}

func (tokenizer) decode(ids []uint32, skipSpecialTokens bool) (string, error) {
	data := []byte{}
	for _, id := range ids {
		if id > 255 {
			return "", errors.New("no id")
		}
		data = append(data, byte(id))
	}
	return strings.ToValidUTF8(string(data), "\ufffd"), nil
}

type test struct {
	TcId         int
	Flags, Texts []string
	Result       string
	Text         *string
	Ids          json.RawMessage
}

type group struct {
	Type                                string
	AddSpecialTokens, SkipSpecialTokens bool
	Tests                               []test
}

func isRight(t tokenizer, g group, one test) (bool, error) {
	var ids []uint32
	if g.Type == "batch" {
		var every [][]uint32
		if err := json.Unmarshal(one.Ids, &every); err != nil {
			return false, err
		}
		for n, text := range one.Texts {
			if found, err := t.encode(text, g.AddSpecialTokens); err != nil || !slices.Equal(found, every[n]) {
				return false, err
			}
		}
		return true, nil
	}
	if one.Ids != nil {
		if err := json.Unmarshal(one.Ids, &ids); err != nil {
			return false, err
		}
	}
	if g.Type == "decode" {
		text, err := t.decode(ids, g.SkipSpecialTokens)
		return err == nil && one.Text != nil && text == *one.Text, err
	}
	found, err := t.encode(*one.Text, g.AddSpecialTokens)
	return slices.Equal(found, ids), err
}

func main() {
	var vectors struct{ TestGroups []group }
	if err := json.NewDecoder(os.Stdin).Decode(&vectors); err != nil {
		panic(err)
	}
	t := load(os.Args[1])
	var passed, failed, acceptable, skipped int
	for _, g := range vectors.TestGroups {
		for _, one := range g.Tests {
			if (g.Type != "encode" && g.Type != "decode" && g.Type != "batch") || (g.Type == "encode" && one.Text == nil) {
				skipped++
				continue
			}
			same, err := isRight(t, g, one)
			if (err == nil && same && one.Result != "refused") || (err != nil && one.Result == "refused") {
				passed++
			} else if one.Result == "acceptable" {
				acceptable++
			} else {
				failed++
				fmt.Println("FAIL", one.TcId, g.Type, strings.Join(one.Flags, "; "))
			}
		}
	}
	fmt.Printf("%d passed, %d failed, %d acceptable, %d skipped\n", passed, failed, acceptable, skipped)
	if failed > 0 || passed == 0 {
		os.Exit(1)
	}
}
