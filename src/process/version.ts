// The version of this package, from its package.json.

import { readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";

const path = findPackageJSON(import.meta.url);
const manifest: unknown = path === undefined ? undefined : JSON.parse(readFileSync(path, "utf8"));

export const version: string =
  typeof manifest === "object" && manifest !== null && "version" in manifest
    ? String(manifest.version)
    : "unknown";
