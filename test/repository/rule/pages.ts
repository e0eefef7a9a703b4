// The documents as text: links that resolve, files that exist, line lengths, code blocks.

import { posix } from "node:path";
import type { TextFile } from "../tree.ts";

const columnsMax = 120;

/** Tables and links can't be broken across lines; everything else can. */
export function findWideLines({ path, text }: TextFile): readonly string[] {
  const isPlain = outsideBlocks(text);
  return text.split("\n").flatMap((line, index) => {
    const fits = line.length <= columnsMax || !isPlain(index);
    if (fits || line.startsWith("|") || /\]\([^)]*\)[.,;]?$|https?:\/\/\S*$/.test(line)) return [];
    return [`${path}:${index + 1}: ${line.length} columns, at most ${columnsMax}`];
  });
}

/** Links within the repository, to files and to headings in them. */
export function findDeadLinks(
  page: TextFile,
  read: (path: string) => string | undefined,
): readonly string[] {
  return linksOf(page).flatMap((link) => {
    if (/^[a-z]+:/.test(link)) return [];
    const [file = "", heading] = link.split("#");
    const target = file === "" ? page.path : posix.join(posix.dirname(page.path), file);
    const text = read(target);
    if (text === undefined) return [`${page.path}: links to ${target}, which does not exist`];
    if (heading === undefined || headingsOf(text).includes(heading)) return [];
    return [`${page.path}: links to #${heading}, which ${target} does not have`];
  });
}

function linksOf({ text }: TextFile): readonly string[] {
  const isPlain = outsideBlocks(text);
  const prose = text.split("\n").filter((_, index) => isPlain(index));
  const links = prose.join("\n").matchAll(/\]\(\s*<?([^)\s>]+)>?\s*\)/g);
  return [...links].map(([, link = ""]) => link);
}

/** As they appear in URLs: lower case, dashes for blanks, no other punctuation. */
function headingsOf(text: string): readonly string[] {
  return [...text.matchAll(/^#{1,6} +(.+)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replace(/\s/g, "-"),
  );
}

const places = "src|test|docs|bench|bin|client|clients";

/**
 * Paths of the repository in code marks, such as `src/domain/record/merge.ts`; a star matches
 * anything.
 */
export function findMissingFiles(
  { path, text }: TextFile,
  exists: (pattern: string) => boolean,
): readonly string[] {
  const marked = text.matchAll(
    new RegExp(`\`((?:${places})/[\\w.*{},/-]+|[A-Z]{4,}\\.md|\\.ci/\\w+)\``, "g"),
  );
  return [...new Set([...marked].map(([, named = ""]) => named))]
    .filter((named) => !exists(named.replace(/\/$/, "")))
    .map((named) => `${path}: speaks of ${named}, which does not exist`);
}

/** Whether the line with an index is outside blocks of code. */
function outsideBlocks(text: string): (index: number) => boolean {
  let inBlock = false;
  const plain = text.split("\n").map((line) => {
    const isFence = /^\s*```/.test(line);
    if (isFence) inBlock = !inBlock;
    return !inBlock && !isFence;
  });
  return (index) => plain[index] === true;
}

/** The blocks of code of a language, in order. */
export function blocksOf(text: string, language: string): readonly string[] {
  const blocks = text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm);
  return [...blocks].filter(([, name]) => name === language).map(([, , code = ""]) => code);
}

/** The output has to match what a page shows; an ellipsis matches anything. */
export function patternOf(shown: string): RegExp {
  const parts = shown.split("…").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".+")}$`);
}
