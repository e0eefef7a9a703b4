// What ingress-nginx makes of the chart's Ingress, in the parts that matter here: its paths, its annotations, and the
// headers and bounds of that controller. A cluster is not needed.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { root } from "../repository/tree.ts";

interface Values {
  readonly ingress: {
    readonly paths: readonly string[];
    readonly annotations: Readonly<Record<string, string>>;
  };
}

/** The defaults of the chart; a test with helm compares the rendered Ingress with them. */
export const { ingress } = parse(
  readFileSync(join(root, "deploy/helm/sluice/values.yaml"), "utf8"),
) as Values;

const prefix = "nginx.ingress.kubernetes.io/";

interface Directive {
  readonly name: string;
  readonly fallback: string;
  readonly suffix?: string;
}

/** Directives that annotations set, with the controller's own defaults. */
const directives: Readonly<Record<string, Directive>> = {
  "proxy-body-size": { name: "client_max_body_size", fallback: "1m" },
  "proxy-buffering": { name: "proxy_buffering", fallback: "off" },
  "proxy-next-upstream": { name: "proxy_next_upstream", fallback: "error timeout" },
  "proxy-read-timeout": { name: "proxy_read_timeout", fallback: "60", suffix: "s" },
  "proxy-request-buffering": { name: "proxy_request_buffering", fallback: "on" },
};

interface Site {
  readonly port: number;
  readonly upstream: string;
  readonly certificate: string;
  readonly key: string;
}

/** The servers of an http block of nginx. Throws for an annotation that is not known here. */
export function renderIngress({ port, upstream, certificate, key }: Site): string {
  const unknown = Object.keys(ingress.annotations).filter(
    (name) => !(name.slice(prefix.length) in directives),
  );
  if (unknown.length > 0) throw new Error(`unknown annotations: ${unknown.join(", ")}`);
  const set = Object.entries(directives).map(
    ([name, { name: directive, fallback, suffix = "" }]) =>
      `${directive} ${ingress.annotations[prefix + name] ?? fallback}${suffix};`,
  );
  const pass = `{ proxy_pass http://${upstream}; }`;
  const locations = ingress.paths.flatMap((path) => [
    `location = ${path} ${pass}`,
    `location ${path}/ ${pass}`,
  ]);
  return `server {
    listen ${port} ssl http2;
    ssl_certificate ${certificate};
    ssl_certificate_key ${key};
    proxy_http_version 1.1;
    proxy_set_header Host $http_host;
    proxy_set_header Connection "";
    proxy_set_header X-Request-ID $request_id;
    proxy_set_header X-Real-IP $remote_addr;
    proxy_set_header X-Forwarded-For $remote_addr;
    proxy_set_header X-Forwarded-Host $http_host;
    proxy_set_header X-Forwarded-Port 443;
    proxy_set_header X-Forwarded-Proto $scheme;
    proxy_set_header X-Forwarded-Scheme $scheme;
    proxy_set_header X-Scheme $scheme;
    ${set.join("\n    ")}
    ${locations.join("\n    ")}
    location / { return 404; }
  }`;
}
