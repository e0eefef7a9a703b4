// Links to a view of the same screen: the filters are in the address, so that a view can be bookmarked and Back works.

/** The same filters, from another place on. */
export function withPlace(query: URLSearchParams, next: string | number): string {
  const link = new URLSearchParams(query);
  link.set("before", String(next));
  return link.toString();
}

/** A filter that is empty is none. */
export function readFilter(query: URLSearchParams, name: string): string | undefined {
  return query.get(name)?.trim() || undefined;
}
