// What shared tests have to know about requests about persons and companies.

import { answerSubject } from "../../../src/feature/subject/answer-subject.ts";
import { auditSubject } from "../../../src/feature/subject/read-subject.ts";
import type { Samples } from "../sample.ts";
import { testSubjects } from "./find-subject.ts";

const begun = "continues what an action with a right has begun";
const path = "/no/such/letters.json";
const subject = { organizationId: "none", resourceType: "person", resourceId: "none" };
const request = { ...subject, confidential: false };

export const samples: Samples = {
  commands: { "letter texts": { opensNoStore: true, forAnybody: "opens no store" } },
  settings: {
    wrong: [["LETTER_TEXTS", [path], /the path of a JSON file of texts \(there is no such file/]],
    right: [],
  },
  showPages: async ({ store }, organizationId) => {
    const deletions = await store.listDeletions({ organizationId, before: undefined, limit: 10 });
    return deletions.map(({ deletionRequestId: id }) => `/console/deletion/${id}/letter`);
  },
  withoutRight: {
    "subject/copy writeCopy": begun,
    "subject/erasure-letter mayWrite": "is asked about a deletion that is shown with a right",
    "subject/read-subject countSubject": begun,
    "subject/read-subject readSubject": begun,
  },
  conformance: [testSubjects],
  rights: {
    "subject.show": (app) => auditSubject(app, "subject.show", request),
    "subject.export": (app) => auditSubject(app, "subject.export", request),
    "subject.answer": (app) => answerSubject(app, { ...request, reason: "r" }),
  },
};
