// nginx and Caddy with the configurations of deploy/, but for names of files and ports, and nginx as the chart's
// Ingress configures it, in front of a server of a test.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { Agent } from "node:https";
import { connect } from "node:net";
import { join } from "node:path";
import { root } from "../repository/tree.ts";
import { makeCertificates } from "../support/certificates.ts";
import { findFreePort } from "../support/free-port.ts";
import { type Client, makeClient } from "../support/http-client.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { waitFor } from "../support/wait-for.ts";
import { renderIngress } from "./ingress.ts";

/** The name in the configurations. */
export const serverName = "sluice.example";

export interface Proxy {
  readonly port: number;
  /** Certificate of the authority that signed the proxy's. */
  readonly authority: Buffer;
  stop(): Promise<void>;
}

export interface ProxyKind {
  readonly name: string;
  readonly program: string;
  /** Writes the configuration; the words that start the program with it. */
  readonly configure: (site: Site) => readonly string[];
}

interface Site {
  readonly folder: string;
  readonly port: number;
  readonly upstream: string;
  readonly certificate: string;
  readonly key: string;
}

export const proxyKinds: readonly ProxyKind[] = [
  { name: "nginx", program: "nginx", configure: configureNginx },
  { name: "Caddy", program: "caddy", configure: configureCaddy },
  { name: "the Ingress of the chart", program: "nginx", configure: configureIngress },
];

/** Sends requests through the proxy as a browser does that found its address in the DNS. */
export function clientOf({ port, authority }: Proxy): Client {
  const agent = new Agent({
    keepAlive: true,
    ca: authority,
    lookup: (_name, _options, found) => found(null, [{ address: "127.0.0.1", family: 4 }]),
  });
  return makeClient(`https://${serverName}:${port}`, agent);
}

export async function startProxy(kind: ProxyKind, address: string): Promise<Proxy> {
  const folder = makeTempFolder();
  const { authority, server, serverKey } = makeCertificates(join(folder, "tls"), {
    name: serverName,
    owner: {},
  });
  const port = await findFreePort();
  const upstream = new URL(address).host;
  const site = { folder, port, upstream, certificate: server, key: serverKey };
  const words = kind.configure(site);
  const { PATH = "" } = process.env;
  const child = spawn(kind.program, words, {
    env: { PATH, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let errors = "";
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  const ended = once(child, "close");
  await waitFor(`${kind.program} to listen`, async () => {
    if (child.exitCode !== null) throw new Error(`${kind.program} ended: ${errors}`);
    return await canConnect(port);
  });
  return {
    port,
    authority: readFileSync(authority),
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

function configureNginx(site: Site): readonly string[] {
  const { folder, port, upstream, certificate, key } = site;
  const servers = replaceAll(readFileSync(join(root, "deploy/nginx/sluice.conf"), "utf8"), {
    "listen 80;": `listen unix:${folder}/plain.sock;`,
    "    listen [::]:80;\n": "",
    "    listen [::]:443 ssl http2;\n": "",
    "listen 443 ssl http2;": `listen ${port} ssl http2;`,
    "127.0.0.1:8080": upstream,
    "/etc/ssl/sluice/fullchain.pem": certificate,
    "/etc/ssl/sluice/privkey.pem": key,
  });
  return configureServers(site, servers);
}

function configureIngress(site: Site): readonly string[] {
  return configureServers(site, renderIngress(site));
}

/** `servers`: what the http block is to contain. */
function configureServers({ folder }: Site, servers: string): readonly string[] {
  writeFileSync(join(folder, "sluice.conf"), servers);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  const paths = temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join(" ");
  const user = process.getuid?.() === 0 ? "user root;" : "";
  const main =
    `${user} daemon off; worker_processes 1; pid ${folder}/pid; error_log stderr warn;\n` +
    `events {} http { access_log off; ${paths} include ${folder}/sluice.conf; }\n`;
  writeFileSync(join(folder, "nginx.conf"), main);
  return ["-p", folder, "-e", "stderr", "-c", join(folder, "nginx.conf")];
}

function configureCaddy({ folder, port, upstream, certificate, key }: Site): readonly string[] {
  mkdirSync(join(folder, "caddy"));
  const site = replaceAll(readFileSync(join(root, "deploy/caddy/Caddyfile"), "utf8"), {
    "\tservers {": "\tadmin off\n\tauto_https off\n\tservers {",
    [`\n${serverName} {`]: `\nhttps://${serverName}:${port} {\n\ttls ${certificate} ${key}`,
    "127.0.0.1:8080": upstream,
  });
  const path = join(folder, "Caddyfile");
  writeFileSync(path, site);
  return ["run", "--adapter", "caddyfile", "--config", path];
}

/** Each text has to be there, so that a change of a configuration is noticed. */
function replaceAll(text: string, changes: Readonly<Record<string, string>>): string {
  return Object.entries(changes).reduce((changed, [from, to]) => {
    if (!changed.includes(from)) throw new Error(`the configuration does not hold ${from}`);
    return changed.replaceAll(from, to);
  }, text);
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const end = (isOpen: boolean) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.on("connect", () => end(true)).on("error", () => end(false));
  });
}
