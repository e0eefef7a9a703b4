// The stylesheet, the script and the icon of the console: files beside the code, read once, and served under names that
// change with their content.

import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { FastifyRequest } from "fastify";
import { AppError } from "../../domain/error.ts";
import type { Answer } from "../../http/reply/reply.ts";
import {
  representationAnswer,
  representText,
  type Representation,
} from "../../http/reply/representation.ts";

const types = {
  "console.css": "text/css; charset=utf-8",
  "console.js": "text/javascript; charset=utf-8",
  "icon.svg": "image/svg+xml",
} as const;

type AssetName = keyof typeof types;

interface Asset {
  readonly text: string;
  readonly version: string;
}

const assets = new Map<AssetName, Asset>(
  (Object.keys(types) as AssetName[]).map((name) => {
    const text = readFileSync(new URL(`asset/${name}`, import.meta.url), "utf8");
    return [name, { text, version: hash("sha256", text).slice(0, 16) }];
  }),
);

export function assetPath(name: AssetName): string {
  return `/console/asset/${name}?v=${assets.get(name)?.version ?? ""}`;
}

const represented = new Map<AssetName, Promise<Representation>>();

/** Throws AppError no_such_operation. */
export async function assetAnswer(request: FastifyRequest, name: string): Promise<Answer> {
  const known = Object.keys(types).find((key): key is AssetName => key === name);
  const asset = known === undefined ? undefined : assets.get(known);
  if (known === undefined || asset === undefined) throw new AppError("no_such_operation");
  let made = represented.get(known);
  if (made === undefined) {
    const headers = { "cache-control": "public, max-age=31536000, immutable" };
    represented.set(known, (made = representText(types[known], asset.text, headers)));
  }
  return representationAnswer(request, await made);
}
