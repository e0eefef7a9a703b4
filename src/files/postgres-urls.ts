// The servers that a `postgres://` URL names: one, or several separated by commas, as in libpq
// (postgresql.org/docs/current/libpq-connect.html, "Specifying Multiple Hosts").

/** The maximum, because each of them may cost a request several seconds. */
const serversMax = 8;

/** One URL for each server, in their order; undefined for the URL of another engine, or one that can't be read. */
export function postgresUrls(url: string): readonly string[] | undefined {
  const [scheme] = /^postgres(?:ql)?:\/\//.exec(url) ?? [];
  if (scheme === undefined || url === scheme) return undefined;
  const found = url.slice(scheme.length).search(/[/?#]/);
  const end = found === -1 ? url.length : scheme.length + found;
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
