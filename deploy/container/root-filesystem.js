// The root file system of the image as lists of entries, one list a layer: Node with what it needs of an operating
// system, the dependencies, and the service. There is no shell, no package manager and nothing that runs as root.

import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { rootCertificates } from "node:tls";
import { findLibraries, machineOf } from "./elf.js";
import { userId } from "./image-config.js";
import { findNotices } from "./notices.js";

/** Made by npm for itself, or only of use with a shell. */
const unneeded = new Set(["node_modules/.bin", "node_modules/.package-lock.json"]);

/** What the image holds beside the package, in /app. */
const ownPrograms = ["health-check.js", "../backup/backup.js"];

/** `node`: the program; `libraries`: the root of a file system with its libraries; `application`: a folder. */
export function layersOf({ node, libraries, application }) {
  const files = readdirSync(application).filter((name) => name !== "node_modules");
  return [
    { title: "Node and its libraries", entries: systemEntries(node, libraries) },
    {
      title: "dependencies of the service",
      entries: entriesUnder(application, "node_modules", "app"),
    },
    {
      title: "the service",
      entries: [
        ...files.flatMap((name) => entriesUnder(application, name, "app")),
        ...ownPrograms.map((path) => ({
          ...file(`app/${basename(path)}`, 0o644),
          source: join(import.meta.dirname, path),
        })),
      ],
    },
  ].map(({ title, entries }) => ({ title, entries: withFolders(entries) }));
}

function systemEntries(node, libraries) {
  const id = `${userId}:${userId}`;
  const needed = findLibraries(node, libraries);
  return [
    { ...file("usr/local/bin/node", 0o755), source: node },
    ...needed.map(({ path, source }) => ({ ...file(path.slice(1), 0o755), source })),
    ...findNotices(node, needed, libraries).map(({ path, source }) => ({
      ...file(path, 0o644),
      source,
    })),
    text(
      "etc/passwd",
      `root:x:0:0:root:/:/nonexistent\nsluice:x:${id}:Sluice:/data:/nonexistent\n`,
    ),
    text("etc/group", `root:x:0:\nsluice:x:${userId}:\n`),
    text("etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n"),
    text("etc/os-release", 'ID=sluice\nNAME="Sluice"\n'),
    text("etc/ssl/certs/ca-certificates.crt", `${rootCertificates.join("\n")}\n`),
    { ...folder("data", 0o700), owner: userId },
    folder("tmp", 0o1777),
    // Where an engine mounts what it provides, which it could not create in a read-only file system.
    ...["dev", "proc", "sys"].map((path) => folder(path)),
  ];
}

function entriesUnder(root, name, place) {
  const path = `${place}/${name}`;
  const source = join(root, name);
  if (unneeded.has(name)) return [];
  const inFolder = tryList(source);
  if (inFolder === undefined) {
    if (machineOf(source) !== undefined) {
      throw new Error(
        `${path} is machine code, which an image for another platform can't contain.`,
      );
    }
    return [{ ...file(path, 0o644), source }];
  }
  return [
    folder(path),
    ...inFolder.flatMap((child) => entriesUnder(root, `${name}/${child}`, place)),
  ];
}

function tryList(path) {
  try {
    return readdirSync(path).sort();
  } catch (error) {
    if (error.code === "ENOTDIR") return undefined;
    throw error;
  }
}

function file(path, mode) {
  return { path, type: "file", mode, owner: 0 };
}

function text(path, content) {
  return { ...file(path, 0o644), content };
}

function folder(path, mode = 0o755) {
  return { path, type: "folder", mode, owner: 0 };
}

/** In the order of paths, each after the folders that it is in. */
function withFolders(entries) {
  const byPath = new Map(entries.map((entry) => [entry.path, entry]));
  for (const { path } of entries) {
    for (let parent = dirname(path); parent !== "."; parent = dirname(parent)) {
      if (!byPath.has(parent)) byPath.set(parent, folder(parent));
    }
  }
  return [...byPath.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Writes the entries into an empty folder, without their owners: for a build that copies them from there. */
export function writeRoot(layers, root) {
  mkdirSync(root);
  for (const { path, type, mode, source, content, target } of layers.flatMap((l) => l.entries)) {
    const place = join(root, ...path.split("/"));
    if (relative(root, place).startsWith(`..${sep}`)) throw new Error(`${path} leads outside.`);
    if (type === "folder") mkdirSync(place, { recursive: true });
    else if (type === "link") symlinkSync(target, place);
    else if (source !== undefined) copyFileSync(source, place);
    else writeFileSync(place, content);
    if (type !== "link") chmodSync(place, mode);
  }
}
