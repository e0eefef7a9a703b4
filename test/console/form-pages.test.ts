// The table of the pages on which forms are shown again.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formPages } from "../../src/console/form-pages.ts";
import { routes } from "../../src/console/routes.ts";

describe("the pages of forms", () => {
  it("are those of every form with fields, and of nothing else", () => {
    const forms = routes.filter(({ method, open }) => method === "POST" && open !== true);
    const others = /\/account\/|\/download$|\/sign-out$|\/session\/revoke$|\/proof/;
    const expected = forms.map(({ path }) => path).filter((path) => !others.test(path));
    assert.deepEqual([...formPages.keys()].toSorted(), expected.toSorted());
  });
});
