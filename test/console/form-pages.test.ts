// The pages on which forms are shown again.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { routes } from "../../src/process/console-routes.ts";

describe("the pages of forms", () => {
  it("are those of every form with fields, and of nothing else", () => {
    const forms = routes.filter((route) => route.method === "POST" && route.open !== true);
    const others = /\/account\/|(?<!erasures)\/(?:download|page)$|\/sign-out$|\/session\/revoke$/;
    const wrong = forms.filter((form) => {
      const hasPage = form.open !== true && form.page !== undefined;
      return hasPage === others.test(form.path);
    });
    assert.deepEqual(
      wrong.map(({ path }) => path),
      [],
    );
  });
});
