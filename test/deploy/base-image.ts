// A stand-in for the distribution's image of Node, made from the programs of this machine, for machines that reach no
// registry of images: Node and npm, a shell, and the few commands that the Containerfile uses, each with its libraries.

import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

const commands = ["sh", "chown", "cp", "env", "ls", "mkdir", "mv", "rm", "uname"];
const certificates = "/etc/ssl/certs/ca-certificates.crt";

/** Returns the folder, from which `FROM scratch` and `COPY` make the image. */
export function writeBaseImage(folder: string): string {
  const root = join(folder, "root");
  const programs = commands.map((name) => [pathOf(name), `/usr/bin/${name}`] as const);
  for (const [from, to] of [[process.execPath, "/usr/local/bin/node"] as const, ...programs]) {
    copy(realpathSync(from), join(root, to));
    for (const library of librariesOf(from)) copy(library, join(root, library));
  }
  copyNpm(root);
  symlinkSync("usr/bin", join(root, "bin"));
  mkdirSync(join(root, "tmp"), { mode: 0o1777 });
  mkdirSync(join(root, "etc"), { recursive: true });
  writeFileSync(join(root, "etc/passwd"), "root:x:0:0:root:/root:/usr/bin/sh\n");
  writeFileSync(join(root, "etc/group"), "root:x:0:\n");
  if (existsSync(certificates)) copy(certificates, join(root, certificates));
  const lines = [
    "FROM scratch",
    "COPY root /",
    `ENV PATH=/usr/local/bin:/usr/bin NODE_EXTRA_CA_CERTS=${certificates}`,
  ];
  writeFileSync(join(folder, "Containerfile"), `${lines.join("\n")}\n`);
  return folder;
}

function copyNpm(root: string): void {
  const npm = dirname(dirname(realpathSync(pathOf("npm"))));
  const place = "usr/local/lib/node_modules/npm";
  cpSync(npm, join(root, place), { recursive: true, dereference: true });
  symlinkSync(`/${place}/bin/npm-cli.js`, join(root, "usr/local/bin/npm"));
}

function pathOf(program: string): string {
  return execFileSync("sh", ["-c", 'command -v "$0"', program], { encoding: "utf8" }).trim();
}

function librariesOf(program: string): readonly string[] {
  const listed = execFileSync("ldd", [program], { encoding: "utf8" });
  return [...listed.matchAll(/(\/\S+) \(0x/g)].map(([, path = ""]) => path);
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
}
