// A subject of the tokenizer subject protocol, version 1: a line of JSON in, a line out.
//
// Three functions are to be filled in: load, encode and decode. They may return what errors the library has, and panic
// where it does. As they stand, they are a tokenizer of bytes. What is logged goes to standard error.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
)

var about = map[string]string{
	"name":     "bytes", // the name of your library; add a "version" if you publish releases
	"language": "go",
	"runtime":  runtime.Version(),
}

// Such as "encode": {"add_special_tokens": "never"}.
var capabilities = map[string]map[string]any{"encode": {}, "decode": {}}

type model struct {
	Path, Format, Sha256, Encoding string // Encoding where it is known
	Own                            bool
}

// Here: what the library has.
type tokenizer struct{}

// The tokenizer of a model. options: of subject.toml. An error is the answer that the library does not read this model.
func load(from model, options map[string]any) (*tokenizer, error) {
	return &tokenizer{}, nil // here: the library reads from.Path
}

// The ids of a text.
func encode(loaded *tokenizer, text string, addSpecialTokens bool) ([]int64, error) {
	ids := make([]int64, len(text))
	for i := range ids {
		ids[i] = int64(text[i])
	}
	return ids, nil
}

// The text of ids, as the bytes that the library gives, UTF-8 or not.
func decode(loaded *tokenizer, ids []int64, skipSpecialTokens bool) ([]byte, error) {
	bytes := make([]byte, len(ids))
	for i, id := range ids {
		if id < 0 || id > 255 {
			return nil, fmt.Errorf("no token has the id %d", id)
		}
		bytes[i] = byte(id)
	}
	return bytes, nil
}

// From here on nothing is to be changed.

type item struct {
	Text *string
	Ids  []int64
}

type message struct {
	ID                json.RawMessage
	Op                string
	Model             *model
	Options           map[string]any
	Items             []item
	AddSpecialTokens  bool `json:"add_special_tokens"`
	SkipSpecialTokens bool `json:"skip_special_tokens"`
}

type fields = map[string]any

var current *tokenizer

func told(kind, text string) fields {
	return fields{kind: fields{"message": text}}
}

// The result of an item: an error of the library is an answer, and a panic is a crash.
func result(ask func() (fields, error)) (given fields) {
	defer func() {
		if panicked := recover(); panicked != nil {
			given = told("crashed", fmt.Sprint(panicked))
		}
	}()
	given, err := ask()
	if err != nil {
		return fields{"refused": fields{"message": err.Error(), "type": fmt.Sprintf("%T", err)}}
	}
	return given
}

func start(asked *message) (fields, error) {
	if asked.Model == nil || asked.Model.Path == "" {
		return nil, errors.New("a message without a model")
	}
	current = nil
	loaded, err := load(*asked.Model, asked.Options)
	if err != nil {
		return told("unavailable", err.Error()), nil
	}
	current = loaded
	return fields{"started": fields{"protocol": 1, "subject": about, "capabilities": capabilities}}, nil
}

func results(asked *message, problem func(item) bool, ask func(item) (fields, error)) (fields, error) {
	if current == nil {
		return nil, errors.New("no model is loaded")
	}
	if asked.Items == nil {
		return nil, errors.New("a message without items")
	}
	for _, one := range asked.Items {
		if problem(one) {
			return nil, errors.New("an item without what is asked about")
		}
	}
	given := make([]fields, len(asked.Items))
	for i, one := range asked.Items {
		given[i] = result(func() (fields, error) { return ask(one) })
	}
	return fields{"results": given}, nil
}

// The fields of the answer to a message; an error is a mistake in the message.
func answer(asked *message) (given fields, err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("%v", panicked)
		}
	}()
	switch asked.Op {
	case "start", "load":
		return start(asked)
	case "encode":
		return results(asked, func(one item) bool { return one.Text == nil }, func(one item) (fields, error) {
			ids, err := encode(current, *one.Text, asked.AddSpecialTokens)
			return fields{"ids": append([]int64{}, ids...)}, err
		})
	case "decode":
		return results(asked, func(one item) bool { return one.Ids == nil }, func(one item) (fields, error) {
			bytes, err := decode(current, one.Ids, asked.SkipSpecialTokens)
			return fields{"base64": append([]byte{}, bytes...)}, err
		})
	default:
		return nil, fmt.Errorf("unknown op %q", asked.Op)
	}
}

// The answer to a line, which is nil for one without an id; and whether it is the end.
func answerLine(line []byte) (given fields, isEnd bool) {
	var asked message
	wrong := json.Unmarshal(line, &asked)
	id, err := strconv.ParseInt(string(asked.ID), 10, 64)
	if err != nil {
		fmt.Fprintln(os.Stderr, "passed over a line:", wrong, err)
		return nil, false
	}
	if asked.Op == "stop" {
		return nil, true
	}
	if wrong == nil {
		given, wrong = answer(&asked)
	}
	if wrong != nil {
		given = told("error", wrong.Error())
	}
	given["id"] = id
	return given, false
}

func main() {
	input, answers := bufio.NewReaderSize(os.Stdin, 1<<16), os.Stdout
	os.Stdout = os.Stderr // what the library prints is no answer
	for {
		line, err := input.ReadBytes('\n')
		if err != nil {
			return
		}
		given, isEnd := answerLine(line)
		if isEnd {
			return
		}
		if given == nil {
			continue
		}
		written, err := json.Marshal(given)
		if err == nil {
			_, err = answers.Write(append(written, '\n'))
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
