package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
)

// archive writes name.tar.gz, or name.zip for Windows, with one folder in it.
func (r *release) archive(name, binary string, zipped bool) error {
	suffix := ".tar.gz"
	if zipped {
		suffix = ".zip"
	}
	file, err := os.Create(filepath.Join(r.out, name+suffix))
	if err != nil {
		return err
	}
	add, finish := r.tarball(file)
	if zipped {
		add, finish = r.zipped(file)
	}
	err = add(binary, path.Join(name, filepath.Base(binary)), 0o755)
	for _, paper := range r.papers {
		if err == nil {
			err = add(paper.source, path.Join(name, paper.name), 0o644)
		}
	}
	return errors.Join(err, finish(), file.Close())
}

// adder adds a file to an archive.
type adder func(source, name string, mode os.FileMode) error

func (r *release) tarball(file io.Writer) (adder, func() error) {
	compressed := gzip.NewWriter(file) // its header has no time unless one is set
	archive := tar.NewWriter(compressed)
	add := func(source, name string, mode os.FileMode) error {
		content, err := os.ReadFile(source)
		if err != nil {
			return err
		}
		header := &tar.Header{Name: name, Mode: int64(mode), Size: int64(len(content)), ModTime: r.when, Format: tar.FormatPAX}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		_, err = archive.Write(content)
		return err
	}
	return add, func() error { return errors.Join(archive.Close(), compressed.Close()) }
}

func (r *release) zipped(file io.Writer) (adder, func() error) {
	archive := zip.NewWriter(file)
	add := func(source, name string, mode os.FileMode) error {
		content, err := os.ReadFile(source)
		if err != nil {
			return err
		}
		header := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: r.when}
		header.SetMode(mode)
		w, err := archive.CreateHeader(header)
		if err != nil {
			return err
		}
		_, err = w.Write(content)
		return err
	}
	return add, archive.Close
}
