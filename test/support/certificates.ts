// Certificates for a test: a private authority, and a server certificate that it has signed.
// Created by openssl.

import { execFileSync } from "node:child_process";
import { chownSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface Certificates {
  /** Paths of PEM files. */
  readonly authority: string;
  readonly server: string;
  readonly serverKey: string;
}

/** In a separate folder. `owner`: the user that the server runs as, who has to own its key. */
export function makeCertificates(
  folder: string,
  {
    name,
    owner,
  }: { readonly name: string; readonly owner: { readonly uid?: number; readonly gid?: number } },
): Certificates {
  mkdirSync(folder, { recursive: true });
  const at = (file: string) => join(folder, file);
  const run = (...words: readonly string[]) =>
    execFileSync("openssl", words, { cwd: folder, stdio: "pipe" });
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  run(
    "req",
    "-x509",
    ...key,
    "-subj",
    "/CN=Test authority",
    "-days",
    "2",
    "-keyout",
    "ca.key",
    "-out",
    "ca.pem",
  );
  run("req", ...key, "-subj", `/CN=${name}`, "-keyout", "server.key", "-out", "server.csr");
  writeFileSync(at("names"), `subjectAltName=DNS:${name}`);
  const sign = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "names"];
  run("x509", "-req", "-in", "server.csr", ...sign, "-days", "2", "-out", "server.pem");
  const { uid, gid } = owner;
  if (uid !== undefined && gid !== undefined) chownSync(at("server.key"), uid, gid);
  return { authority: at("ca.pem"), server: at("server.pem"), serverKey: at("server.key") };
}
