// The work of POST /pyrus/authorize in Go, the standard library's usual way.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"
)

const bodyLimit = 16 * 1024

type configuration struct {
	Listen struct {
		Host string `json:"host"`
		Port int    `json:"port"`
	} `json:"listen"`
	Apps []struct {
		AppID string `json:"app_id"`
		Keys  []struct {
			ID     uint32 `json:"id"`
			Secret struct {
				File string `json:"file"`
			} `json:"secret"`
		} `json:"keys"`
	} `json:"apps"`
}

var (
	results   [verdicts]atomic.Uint64
	durations [12]atomic.Uint64
	elapsed   atomic.Int64
	bounds    = [11]time.Duration{50 * time.Microsecond, 100 * time.Microsecond, 250 * time.Microsecond, 500 * time.Microsecond,
		time.Millisecond, 2500 * time.Microsecond, 5 * time.Millisecond, 10 * time.Millisecond, 25 * time.Millisecond,
		50 * time.Millisecond, 100 * time.Millisecond}
	answers = [verdicts]struct {
		status int
		body   []byte
	}{
		authorized:           {200, []byte(`{"status":"authorized"}`)},
		denied:               {403, []byte(`{"error":"forbidden","message":"denied"}`)},
		malformedBody:        {400, []byte(`{"error":"malformed","message":"the body must be one JSON object"}`)},
		malformedAppID:       {400, []byte(`{"error":"malformed","message":"app_id must be text of 1 to 255 UTF-16 units"}`)},
		malformedUserID:      {400, []byte(`{"error":"malformed","message":"user_id must be text of 1 to 100 UTF-16 units"}`)},
		malformedSecurityKey: {400, []byte(`{"error":"malformed","message":"security_key must be dgk1. and 84 base64url characters"}`)},
	}
)

func observe(started time.Time, result verdict) {
	duration := time.Since(started)
	bucket := 0
	for bucket < len(bounds) && duration > bounds[bucket] {
		bucket++
	}
	results[result].Add(1)
	durations[bucket].Add(1)
	elapsed.Add(int64(duration))
}

func (keys keyring) authorize(writer http.ResponseWriter, request *http.Request) {
	started := time.Now()
	if request.Method != http.MethodPost {
		writer.Header().Set("Allow", http.MethodPost)
		http.Error(writer, "use POST", http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(writer, request.Body, bodyLimit))
	if err != nil {
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			http.Error(writer, "the body is over 16 KiB", http.StatusRequestEntityTooLarge)
		}
		return
	}
	result := malformedBody
	contentType := request.Header.Get("Content-Type")
	if contentType == "" || strings.HasPrefix(strings.ToLower(contentType), "application/json") {
		result = keys.decide(body, time.Now().Unix())
	}
	observe(started, result)
	writer.Header().Set("Content-Type", "application/json")
	writer.WriteHeader(answers[result].status)
	writer.Write(answers[result].body)
}

func read(path string) (configuration, keyring, error) {
	var parsed configuration
	text, err := os.ReadFile(path)
	if err != nil {
		return parsed, nil, err
	}
	if err := json.Unmarshal(text, &parsed); err != nil {
		return parsed, nil, err
	}
	keys := keyring{}
	for _, app := range parsed.Apps {
		for _, key := range app.Keys {
			encoded, err := os.ReadFile(filepath.Join(filepath.Dir(path), key.Secret.File))
			if err != nil {
				return parsed, nil, err
			}
			secret, err := encoding.DecodeString(strings.TrimSpace(string(encoded)))
			if err != nil {
				return parsed, nil, err
			}
			keys[credential{app.AppID, key.ID}] = secret
		}
	}
	return parsed, keys, nil
}

func main() {
	if len(os.Args) != 4 || os.Args[1] != "serve" || os.Args[2] != "--config" {
		log.Fatal("usage: authorize serve --config FILE")
	}
	parsed, keys, err := read(os.Args[3])
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/pyrus/authorize", keys.authorize)
	log.Fatal(http.ListenAndServe(fmt.Sprintf("%s:%d", parsed.Listen.Host, parsed.Listen.Port), mux))
}
