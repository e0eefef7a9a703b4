// Whether a host name stands for this machine, so that nothing sent to it crosses a network.

/** `hostname`: in the form of URL, with an IPv6 address in brackets. */
export function isLoopback(hostname: string): boolean {
  if (hostname === "localhost" || hostname.endsWith(".localhost")) return true;
  return hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}
