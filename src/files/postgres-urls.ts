// The servers that a `postgres://` URL names: one, or several separated by commas, as in libpq
// (postgresql.org/docs/current/libpq-connect.html, "Specifying Multiple Hosts").

/** The maximum, because each of them may cost a request several seconds. */
const serversMax = 8;

/** One URL for each server, in their order; undefined for the URL of another engine, or one that can't be read. */
export function postgresUrls(url: string): readonly string[] | undefined {
  const [scheme] = /^postgres(?:ql)?:\/\//.exec(url) ?? [];
  if (scheme === undefined || url === scheme) return undefined;
  const length = url.slice(scheme.length).search(/[/?#]/);
  const end = length === -1 ? url.length : scheme.length + length;
  const begin = Math.max(url.lastIndexOf("@", end) + 1, scheme.length);
  const hosts = url.slice(begin, end);
  const names = hosts.split(",");
  if (names.length > serversMax || (names.length > 1 && names.includes(""))) return undefined;
  const urls = names.map((name) => url.slice(0, begin) + name + url.slice(end));
  return urls.every(isUrl) ? urls : undefined;
}

/** The hosts and the database, without the user, the password and the parameters; undefined if it can't be read. */
export function describeServers(url: string): string | undefined {
  const urls = (postgresUrls(url) ?? [url]).map(parse);
  const [first] = urls;
  if (first === undefined || first === null) return undefined;
  return `${urls.map((one) => one?.host).join(",")}${first.pathname}`;
}

/** Every server has to accept writes, so this parameter of libpq can have no other value. */
function isUrl(url: string): boolean {
  const values = parse(url)?.searchParams.getAll("target_session_attrs");
  return values?.every((value) => value === "read-write") ?? false;
}

/** The URL of a socket has no host: postgres://user@/database?host=/run/…. URL refuses it, the driver accepts it. */
function parse(url: string): URL | null {
  return URL.parse(url) ?? URL.parse(url.replace("@/", "@host/"));
}

const tlsValues: Readonly<Record<string, readonly string[]>> = {
  ssl: ["true", "1", "false", "0", "no-verify"],
  sslmode: ["disable", "no-verify", "prefer", "require", "verify-ca", "verify-full"],
};

const tlsFiles = ["sslcert", "sslkey", "sslrootcert"];

/** The parameters about TLS that name files. */
export function tlsFilesOf(url: string): readonly (readonly [name: string, path: string])[] {
  return Array.from(parse(url)?.searchParams ?? []).filter(([name]) => tlsFiles.includes(name));
}

/** The name of a parameter about TLS with an unknown value. */
export function unknownTls(url: string): string | undefined {
  const parameters = parse(url)?.searchParams;
  return Object.entries(tlsValues).find(([name, values]) =>
    parameters?.getAll(name).some((value) => !values.includes(value)),
  )?.[0];
}

const local = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** True if a server is reached over a network without TLS, and nobody has said that this is intended. */
export function isUnencrypted(url: string): boolean {
  return (postgresUrls(url) ?? []).map(parse).some((one) => {
    if (one === null || process.env["PGSSLMODE"] !== undefined) return false;
    const { searchParams, hostname } = one;
    const host = searchParams.get("host") ?? decodeURIComponent(hostname);
    const says = ["ssl", "sslmode", ...tlsFiles];
    return (
      !host.startsWith("/") && !local.test(host) && !says.some((name) => searchParams.has(name))
    );
  });
}
