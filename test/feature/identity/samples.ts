// What shared tests have to know about identities of programs.

import { identityPage } from "../../../src/feature/identity/noun.ts";
import { createRule } from "../../../src/feature/identity/rules.ts";
import { allScopes } from "../../../src/domain/scope.ts";
import type { Samples } from "../sample.ts";
import { startPlatformIssuer } from "./platform-issuer.ts";
import { testRules } from "./store/rules.ts";

export const samples: Samples = {
  conformance: [testRules],
  connects: { from: "src/feature/identity", guide: "program-identities.md" },
  pages: [identityPage],
  showPages: async (app, organizationId) => {
    const { keyId } = await createRule(app, {
      organizationId,
      name: "nightly",
      scopes: ["transactions:write"],
      issuer: "https://token.actions.githubusercontent.com",
      audience: "https://sluice.example.com",
      claims: { repository: "acme/ledger", ref: "refs/heads/main" },
      lifetimeSeconds: 3_600,
      reusable: false,
    });
    return [`/console/identities/${organizationId}`, `/console/identity/${keyId}`];
  },
  startPlatform: async () => {
    const issuer = await startPlatformIssuer();
    return {
      trust: async (app, organizationId) => {
        await createRule(app, {
          organizationId,
          scopes: allScopes,
          issuer: issuer.address,
          audience: "sluice",
          claims: { sub: organizationId },
          lifetimeSeconds: 3_600,
          reusable: false,
        });
      },
      sign: (organizationId, id) => issuer.sign({ sub: organizationId, jti: id }),
      stop: () => issuer.stop(),
    };
  },
};
