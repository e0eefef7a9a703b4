// An offset of the end of the feed of changes for recipients, also where the feature that serves the feed is left out.

import type { App } from "../../src/actions/app.ts";

export async function endOffset(
  { store, offsets, now }: App,
  { organizationId }: { readonly organizationId: string },
): Promise<string> {
  const { settled: changeNo } = await store.settledArrival();
  return (await offsets()).encode(organizationId, { changeNo, at: now(), following: 0 });
}
