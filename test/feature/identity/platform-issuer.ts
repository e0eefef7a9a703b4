// An issuer of tokens for programs, like those of Kubernetes and CI services, in this process: it publishes its
// metadata and its keys over HTTP, and signs whatever a test wants.

import { createSign, generateKeyPairSync, type KeyObject } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

type Fields = Readonly<Record<string, unknown>>;

export interface PlatformIssuer {
  readonly address: string;
  /** The paths that were asked for, in order. */
  readonly requests: string[];
  /** The published keys; a test may change them. */
  keys: Fields[];
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** Answers instead of the issuer; undefined for its normal replies. */
  answer: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
  /** A token with these claims, which last for five minutes unless they say otherwise. */
  sign(claims: Fields, header?: Fields): string;
  /** Another key pair, published under `kid` in addition to the others. Returns its private key. */
  addKey(kid: string): KeyObject;
  stop(): Promise<void>;
}

/** `now`: Unix milliseconds. */
export async function startPlatformIssuer(now: () => number = Date.now): Promise<PlatformIssuer> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const issuer: PlatformIssuer = {
    address,
    requests: [],
    keys: [{ ...publicKey.export({ format: "jwk" }), kid: "first", use: "sig", alg: "RS256" }],
    privateKey,
    publicKey,
    answer: undefined,
    sign: (claims, header) => {
      const seconds = Math.floor(now() / 1_000);
      const usual = { iss: address, aud: "sluice", iat: seconds, exp: seconds + 300 };
      return makeJwt(
        { alg: "RS256", kid: "first", ...header },
        { ...usual, ...claims },
        privateKey,
      );
    },
    addKey: (kid) => {
      const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
      issuer.keys.push({ ...pair.publicKey.export({ format: "jwk" }), kid, alg: "ES256" });
      return pair.privateKey;
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  server.on("request", (request, response) => {
    issuer.requests.push(request.url ?? "");
    if (issuer.answer !== undefined) {
      issuer.answer(request, response);
      return;
    }
    const isMetadata = request.url === "/.well-known/openid-configuration";
    const metadata = { issuer: address, jwks_uri: `${address}/keys` };
    response.end(JSON.stringify(isMetadata ? metadata : { keys: issuer.keys }));
  });
  return issuer;
}

/** The parts are signed as they are; text is sent as it is. */
export function makeJwt(header: Fields | string, claims: Fields | string, key: KeyObject): string {
  const [head, payload] = [header, claims].map((part) =>
    Buffer.from(typeof part === "string" ? part : JSON.stringify(part)).toString("base64url"),
  );
  const signed = `${head}.${payload}`;
  const signature = createSign("sha256")
    .update(signed)
    .sign({ key, dsaEncoding: "ieee-p1363" }, "base64url");
  return `${signed}.${signature}`;
}
