// Opens what features do in a serving process.

import type { OpenService, ServiceParts } from "../feature/feature.ts";
import { features } from "../feature/features.ts";

interface Options extends Omit<ServiceParts, "replaced"> {
  /** Services that a test has opened, by the name of the feature. */
  readonly replaced?: Readonly<Record<string, unknown>>;
}

/** Each is closed with `opened`. */
export async function openServices(
  { replaced = {}, ...parts }: Options,
  opened: AsyncDisposableStack,
): Promise<readonly OpenService[]> {
  const services: OpenService[] = [];
  for (const { name, service } of features) {
    const part = await service?.();
    const open = await part?.open({ ...parts, replaced: replaced[name] });
    if (open === undefined) continue;
    services.push(open);
    opened.defer(async () => open.close?.());
  }
  return services;
}
