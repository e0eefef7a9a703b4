// URLs, and host names in the form that URL gives them, with an IPv6 address in brackets.

/** Whether it stands for this machine, so that nothing sent to it crosses a network. */
export function isLoopback(hostname: string): boolean {
  if (hostname === "localhost" || hostname.endsWith(".localhost")) return true;
  return hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

/** Whether it is an https URL, or an http URL on this machine, without a user, a query and a fragment. */
export function isServiceUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || `${url.username}${url.password}${url.search}${url.hash}` !== "") return false;
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
}

/** A name or an address as connections take it. */
export function withoutBrackets(hostname: string): string {
  return hostname.startsWith("[") && hostname.endsWith("]") ? hostname.slice(1, -1) : hostname;
}
