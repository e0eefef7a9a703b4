// The licences of what the image holds besides the npm packages, which have theirs with them: of Node, and of the packages
// of Debian that the libraries belong to. Other distributions have no list of files in this form; then they are missing.

import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";

/** Pairs of the path in the image and the file to copy. `libraries`: as findLibraries returns them; `folder`: the root of a file system with the libraries. */
export function findNotices(node, libraries, folder) {
  // Where the archives of nodejs.org and the packages made from them have it.
  const ofNode = join(dirname(realpathSync(node)), "../LICENSE");
  const top = realpathSync(folder);
  const files = libraries.map(({ source }) => (top === "/" ? source : source.slice(top.length)));
  const ofLibraries = findPackages(files, folder).map((name) => ({
    path: `usr/share/doc/${name}/copyright`,
    source: join(folder, "usr/share/doc", name, "copyright"),
  }));
  return [{ path: "usr/share/doc/node/LICENSE", source: ofNode }, ...ofLibraries]
    .filter(({ source }) => existsSync(source))
    .map(({ path, source }) => ({ path, source: realpathSync(source) }));
}

/** Names of the packages that have the files, sorted. */
function findPackages(files, folder) {
  const lists = join(folder, "var/lib/dpkg/info");
  if (!existsSync(lists)) return [];
  // Where /lib is a link to /usr/lib, a list may have either path.
  const wanted = new Set(files.flatMap((file) => [file, file.replace(/^\/usr\//, "/")]));
  return readdirSync(lists)
    .filter((name) => name.endsWith(".list"))
    .filter((name) => {
      const lines = readFileSync(join(lists, name), "utf8").split("\n");
      return lines.some((line) => wanted.has(line));
    })
    .map((name) => name.replace(/(?::\w+)?\.list$/, ""))
    .sort();
}
