// Gives an empty store an organization to try the service with. Never in production, and never a second time.

import { createKey } from "../actions/create-key.ts";
import { listOrganizations } from "../actions/find-organization.ts";
import { createOrganization } from "../actions/create-organization.ts";
import { readConfig } from "../config.ts";
import type { Context } from "./command.ts";

export interface FirstOrganization {
  readonly organization_id: string;
  readonly key_id: string;
  readonly api_key: string;
}

/** Undefined where there is an organization already, or in production. */
export function makeFirstOrganization(context: Context): Promise<FirstOrganization | undefined> {
  if (readConfig(context.environment).production) return Promise.resolve(undefined);
  return context.withApp(async (app) => {
    if ((await listOrganizations(app)).length > 0) return undefined;
    const organizationId = "demo";
    try {
      await createOrganization(app, { name: "demo", organizationId });
    } catch (error) {
      // Another process that started at the same moment may have come first.
      if ((await listOrganizations(app)).length === 0) throw error;
      return undefined;
    }
    const { key, secret } = await createKey(app, { organizationId, name: "first key" });
    return { organization_id: organizationId, key_id: key.keyId, api_key: secret };
  });
}
