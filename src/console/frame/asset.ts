// The stylesheet, the script and the icons of the console: files beside the code, read once, and served under names
// that change with their content.

import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { FastifyRequest } from "fastify";
import { AppError } from "../../domain/error.ts";
import { makeOnce } from "../../http/coalesce.ts";
import type { Answer } from "../../http/reply/reply.ts";
import { representationAnswer, representText } from "../../http/reply/representation.ts";

const types = {
  "console.css": "text/css; charset=utf-8",
  "console.js": "text/javascript; charset=utf-8",
  "icon.svg": "image/svg+xml",
  "icons.svg": "image/svg+xml",
} as const;

const headers = { "cache-control": "public, max-age=31536000, immutable" };

const assets = new Map(
  Object.entries(types).map(([name, type]) => {
    const text = denseText(readFileSync(new URL(`asset/${name}`, import.meta.url), "utf8"));
    const represented = makeOnce(() => representText(type, text, headers));
    return [name, { version: hash("sha256", text).slice(0, 16), represented }];
  }),
);

/** Removes indentation and comments of their own lines, which are a quarter of the bytes of a page. */
function denseText(text: string): string {
  return text
    .replaceAll(/\n\s+/g, "\n")
    .replaceAll(/\n(?:\/\*[^]*?\*\/|\/\/.*)(?=\n)/g, "")
    .replaceAll(/(?<=\n[\w-]+:) (?=.*;\n)| (?=\{\n)/g, "");
}

export function assetPath(name: keyof typeof types): string {
  return `/console/asset/${name}?v=${assets.get(name)?.version ?? ""}`;
}

/** Throws AppError no_such_operation. */
export async function assetAnswer(request: FastifyRequest, name: string): Promise<Answer> {
  const asset = assets.get(name);
  if (asset === undefined) throw new AppError("no_such_operation");
  return representationAnswer(request, await asset.represented());
}
