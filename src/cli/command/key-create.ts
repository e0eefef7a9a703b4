// `sluice key create`

import { createKey } from "../../actions/create-key.ts";
import { defineCommand, optional, required } from "../command.ts";
import { describeNewKey } from "../key-view.ts";
import { duration, scopeList, text } from "../kinds.ts";

export const keyCreate = defineCommand({
  name: "key create",
  summary: "Make an API key for an organization; it is shown this once.",
  examples: [
    "sluice key create --organization acme",
    "sluice key create --organization acme --scopes transactions:write,person:read --name nightly --expires 90d",
  ],
  arguments: {},
  options: {
    organization: required(text("ID"), "Organization that the key belongs to."),
    scopes: optional(
      scopeList,
      "What the key may do, separated by commas; everything if left out.",
    ),
    name: optional(text("NAME"), "What the key is for, to tell it from others."),
    expires: optional(duration, "How long the key lasts, such as 90d; without an end if left out."),
  },
  run: (context, { organization, scopes, name, expires }) =>
    context.withApp(async (app) => {
      const { key, secret } = await createKey(app, {
        organizationId: organization,
        scopes,
        name,
        lifetimeMs: expires,
      });
      return {
        json: {
          key_id: key.keyId,
          api_key: secret,
          organization_id: key.organizationId,
          scopes: key.scopes,
        },
        text: describeNewKey(key, secret),
      };
    }),
});
