// All packages have one version: each place that states it is listed here.

import type { Checkout, Outcome } from "../check.ts";
import { readText } from "../files.ts";

interface Place {
  readonly path: string;
  readonly what: string;
  /** The first group is the version. Every match has to be the version of the release. */
  readonly pattern: RegExp;
}

const places: readonly Place[] = [
  { path: "package.json", what: "sluice on npm", pattern: /^ {2}"version": "(.*)",$/gm },
  { path: "package-lock.json", what: "the lock file", pattern: /^ {2}"version": "(.*)",$/gm },
  {
    path: "package-lock.json",
    what: "the package in the lock file",
    pattern: /^ {4}"": \{\n {6}"name": "[^"]*",\n {6}"version": "(.*)",$/gm,
  },
  {
    path: "client/package.json",
    what: "@sluice/client on npm",
    pattern: /^ {2}"version": "(.*)",$/gm,
  },
  {
    path: "clients/python/pyproject.toml",
    what: "the Python client",
    pattern: /^version = "(.*)"$/gm,
  },
  {
    path: "clients/python/src/sluice/_version.py",
    what: "the Python client's __version__",
    pattern: /^__version__ = "(.*)"$/gm,
  },
  {
    path: "clients/go/connection.go",
    what: "the Go client, and its tag",
    pattern: /^const Version = "(.*)"$/gm,
  },
  { path: "deploy/helm/sluice/Chart.yaml", what: "the chart", pattern: /^version: "?([^"\n]*)/gm },
  {
    path: "deploy/helm/sluice/Chart.yaml",
    what: "the chart's appVersion, the default tag of the image",
    pattern: /^appVersion: "?([^"\n]*)/gm,
  },
  {
    path: "deploy/container/Containerfile",
    what: "the label of the image",
    pattern: /image\.version=(\S+)/g,
  },
  {
    path: "docs/guides/installation.md",
    what: "the files named in the guide",
    pattern: /\bsluice-(\d+\.\d+\.\d+[\w.-]*?)\.tgz/g,
  },
  {
    path: "client/README.md",
    what: "the files named in the client's README",
    pattern: /\bsluice-client-(\d+\.\d+\.\d+[\w.-]*?)\.tgz/g,
  },
];

export function checkVersions({ root, version }: Checkout): Outcome {
  const problems = places.flatMap(({ path, what, pattern }) => {
    const stated = [...readText(root, path).matchAll(pattern)].map(([, found = ""]) => found);
    if (stated.length === 0) return [`${path}: states no version of ${what}.`];
    const others = new Set(stated.filter((found) => found !== version));
    return [...others].map((other) => `${path}: ${what} is ${other}, not ${version}.`);
  });
  if (!isVersion(version)) problems.push(`package.json: ${version} is not a semantic version.`);
  return { problems, found: `${version} in all ${places.length} places` };
}

function isVersion(text: string): boolean {
  return /^\d+\.\d+\.\d+(?:-[0-9A-Za-z]+(?:\.[0-9A-Za-z]+)*)?$/.test(text);
}
