// A release is made from a commit that everybody has: on main, or on the tag of the version, with nothing uncommitted.

import type { Checkout, Outcome } from "../check.ts";
import { run } from "../files.ts";

const branchOfReleases = "main";
const shownMax = 5;

export async function checkWorkTree({ root, version }: Checkout): Promise<Outcome> {
  const changed = lines(await run(root, "git", "status", "--porcelain"));
  const branch = (await run(root, "git", "branch", "--show-current")).trim();
  const tags = lines(await run(root, "git", "tag", "--points-at", "HEAD"));
  const commit = (await run(root, "git", "rev-parse", "--short=12", "HEAD")).trim();
  const tag = `v${version}`;
  const problems: string[] = [];
  if (changed.length > 0) {
    const shown = changed.slice(0, shownMax).map((line) => line.slice(3));
    const more = changed.length > shownMax ? ` and ${changed.length - shownMax} more` : "";
    problems.push(`Files are not committed: ${shown.join(", ")}${more}.`);
  }
  if (branch !== branchOfReleases && !tags.includes(tag)) {
    const place = branch === "" ? "no branch" : `the branch ${branch}`;
    problems.push(`HEAD is on ${place}: check out ${branchOfReleases}, or the tag ${tag}.`);
  }
  if (await isElsewhere(root, tag, tags)) {
    problems.push(`The tag ${tag} is on another commit: this version was released; raise it.`);
  }
  const place = tags.includes(tag) ? `tag ${tag}` : branch;
  return { problems, found: `nothing uncommitted, ${place}, commit ${commit}` };
}

async function isElsewhere(root: string, tag: string, here: readonly string[]): Promise<boolean> {
  return !here.includes(tag) && (await run(root, "git", "tag", "--list", tag)).trim() !== "";
}

function lines(text: string): readonly string[] {
  return text.split("\n").filter((line) => line !== "");
}
