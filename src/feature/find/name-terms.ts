// The terms by which a name is found: the index contains the terms of stored names, and a search looks up the terms of
// the wanted name. Two names match if they have a term in common, and for no other reason.

import { foldWord, oneLetterApart } from "./similar-words.ts";

/**
 * all: all words in any order. whole: all letters in this order, so that spaces don't matter. pair: two of the words.
 * initial: the first letter of a word, with another word. word: a single word. core: a company's name without its legal
 * form. like: two of the words, or the only one, so that transliterations of the same letters are the same.
 */
export type NameForm = "all" | "whole" | "pair" | "initial" | "word" | "core" | "like";

export interface NameTerm {
  readonly form: NameForm;
  readonly text: string;
}

/** The words of a name from which pairs are made; those of a wanted name are among those of the same stored name. */
const storedWordsMax = 8;
const wantedWordsMax = 6;
/** The words that are found alone. */
const singleWordsMax = 24;

/** The words of the legal form of a company, in the form after points are removed. */
const legalForms: ReadonlySet<string> = new Set(
  `ab ag aps as asa bv bvba co company corp corporation doo eg ek eood eurl ev gbr gmbh inc
  incorporated kft kg kgaa limited llc llp ltd ltda lp nv oao ohg ood oy oyj ooo pjsc plc pt pte pty
  sa sas sarl se sia sl spa spzoo sro srl ua ug uab zao zrt`.split(/\s+/),
);

/**
 * Apostrophes, and what is typed or transliterated as one, such as primes, and the signs for hamza and ayin: "O'Brien"
 * is one word, and "ʿAli" is "Ali". Some are letters in Unicode, others become a space and a mark by NFKC.
 */
const apostrophe =
  /['`´\u02b9-\u02c1\u02c8\u02ca\u02cb\u02ee\u0384\u055a\u05f3\u1fbd\u1fbf\u1fef\u1ffd\u1ffe‘’‛′‵\ua78b\ua78c]/gu;
/** Joiners, soft hyphens, direction marks and kashidas, which say nothing; a zero-width space separates words. */
const invisible = /[[\p{Cf}\u0640]--\u200b]/gv;
const between = /[^\p{L}\p{M}\p{N}]+/u;
const hyphen = /(?<=\p{L})[-‐‑‒–](?=\p{L})/gu;

interface SpelledName {
  readonly words: readonly string[];
  /** The same words, in which a letter that is transliterated to several, such as Ю and Þ, is one letter again. */
  readonly short: readonly string[];
}

/** The words of each spelling of a name; a name with a hyphen is also spelled without it, in one word. */
function readNames(name: string): readonly SpelledName[] {
  const joint = name.replaceAll(apostrophe, "").normalize("NFKC");
  // NFKC makes apostrophes too, of wide ones.
  const plain = joint.replaceAll(invisible, "").replaceAll(apostrophe, "");
  const joined = plain.replaceAll(hyphen, "");
  const names = [...new Set([plain, joined])].flatMap(spellWords);
  return names.filter(({ words }) => words.length > 0);
}

/** An ideograph or a Korean syllable alone may be a whole name. */
const singleLetter = /^[\p{L}--[\p{Ideographic}\p{sc=Hangul}]]\p{M}*$/v;

function spellWords(name: string): readonly SpelledName[] {
  const given = name.split(between).filter((word) => word !== "");
  return spell(given.join(" ")).map((text) => {
    const spelled = text.split(" ").map((word, at) => ({ word, given: given[at] ?? "" }));
    const words = spelled.filter(({ word }) => word !== "");
    const short = words.map((one) => {
      return singleLetter.test(one.given) ? initialOf(one.word) : one.word;
    });
    return { words: words.map(({ word }) => word), short };
  });
}

/** In the order in which they are kept, if there are too many: what finds the whole name comes first. */
const forms: readonly NameForm[] = ["whole", "all", "core", "pair", "word", "like", "initial"];

/** Only companies have a legal form, which says nothing as a word of their name. */
export function termsOfName(name: string, of: "person" | "company"): readonly NameTerm[] {
  const isCompany = of === "company";
  return unique(
    readNames(name).flatMap(({ words, short }) => {
      return termsOfWords(words, isCompany ? coreOf(short) : short);
    }),
  ).toSorted((one, other) => forms.indexOf(one.form) - forms.indexOf(other.form));
}

function termsOfWords(words: readonly string[], telling: readonly string[]): readonly NameTerm[] {
  const pairs = pairsOf(mostTelling(telling, storedWordsMax));
  const single = telling.slice(0, singleWordsMax);
  return [
    { form: "whole", text: words.join("") },
    // The letters of two words in every order.
    ...(words.length > 2 ? [sortedTerm("all", words)] : []),
    ...(telling.length < words.length ? [sortedTerm("core", telling)] : []),
    ...pairs.map((pair) => sortedTerm("pair", pair)),
    ...pairs.flatMap(([one, other]) => [initialTerm(one, other), initialTerm(other, one)]),
    ...single.filter((word) => !isInitial(word)).map((word) => sortedTerm("word", [word])),
    ...likeTerms(telling),
  ];
}

/** The words of a name that are compared with similar ones. */
const likeWordsMax = 3;

/** What stands before a word of a name, and is also written as a part of it: "D Souza" is "D'Souza". */
const particles: ReadonlySet<string> = new Set(
  "abu al bin d da de del den der di do du el ibn la le mac mc o san st ter van von".split(" "),
);

function likeTerms(words: readonly string[]): readonly NameTerm[] {
  const joint: string[] = [];
  for (const word of words) {
    const last = joint.at(-1);
    if (last !== undefined && particles.has(last)) joint[joint.length - 1] = last + word;
    else joint.push(word);
  }
  return termsOfGroups("like", mostTelling(joint.map(foldWord), likeWordsMax));
}

function termsOfGroups(form: NameForm, words: readonly string[]): readonly NameTerm[] {
  if (words.length === 1) return [sortedTerm(form, words)];
  return pairsOf(words).map((pair) => sortedTerm(form, pair));
}

export const similarRules = ["another transliteration", "one letter apart"] as const;

export interface SimilarTerm extends NameTerm {
  readonly rule: (typeof similarRules)[number];
}

/** More than three words of twelve letters have. */
const similarTermsMax = 4_096;

/** The terms of names that are similar to this name; its own may be among them. */
export function termsOfSimilarName(name: string): readonly SimilarTerm[] {
  const all = readNames(name).map(({ short }) => coreOf(short));
  const like = unique(all.flatMap(likeTerms));
  const words = mostTelling(all[0] ?? [], likeWordsMax);
  const apart =
    words.length === 1
      ? words.flatMap(oneLetterApart).map((word) => sortedTerm("word", [word]))
      : pairsOf(words).flatMap(([one, other]) => [
          ...oneLetterApart(one).map((word) => sortedTerm("pair", [word, other])),
          ...oneLetterApart(other).map((word) => sortedTerm("pair", [one, word])),
        ]);
  return [
    ...like.map((term) => ({ ...term, rule: similarRules[0] })),
    ...unique(apart).map((term) => ({ ...term, rule: similarRules[1] })),
  ].slice(0, similarTermsMax);
}

export interface WantedTerm extends NameTerm {
  /** Whether a stored name with this term equals the wanted name, rather than being only similar to it. */
  readonly exact: boolean;
}

export function termsOfWantedName(name: string): readonly WantedTerm[] {
  return unique(readNames(name).flatMap(wantedOfWords)).toSorted(
    (one, other) => Number(other.exact) - Number(one.exact),
  );
}

function wantedOfWords({ words, short }: SpelledName): readonly WantedTerm[] {
  const exact = [...rotations(words), ...(words.length > 2 ? [sortedTerm("all", words)] : [])];
  const core = coreOf(short);
  const partial = [
    ...pairsOf(mostTelling(short, wantedWordsMax)).flatMap(wantedOfPair),
    ...(core.length < words.length ? rotations(core) : []),
    sortedTerm("core", core),
    ...(words.length === 1 ? [sortedTerm("word", words)] : []),
  ];
  return [
    ...exact.map((term) => ({ ...term, exact: true })),
    ...partial.map((term) => ({ ...term, exact: false })),
  ];
}

/** A word of one letter stands for any word that begins with it, in the wanted name and in the stored one. */
function wantedOfPair([one, other]: Pair): readonly NameTerm[] {
  const [initial, otherInitial] = [initialOf(one), initialOf(other)];
  return [
    sortedTerm("pair", [one, other]),
    ...(otherInitial === other ? [] : [sortedTerm("pair", [one, otherInitial])]),
    ...(initial === one ? [] : [sortedTerm("pair", [initial, other])]),
    ...(initial === one && otherInitial !== other ? [initialTerm(one, other)] : []),
    ...(otherInitial === other && initial !== one ? [initialTerm(other, one)] : []),
  ];
}

/** The first word, the last, and the longest of the others, in their order. */
function mostTelling(words: readonly string[], max: number): readonly string[] {
  if (words.length <= max) return words;
  const others = [...words.keys()].slice(1, -1);
  const longest = others.sort((one, other) => lengthAt(words, other) - lengthAt(words, one));
  const chosen = new Set([0, words.length - 1, ...longest.slice(0, max - 2)]);
  return words.filter((_, at) => chosen.has(at));
}

function lengthAt(words: readonly string[], at: number): number {
  return words[at]?.length ?? 0;
}

type Pair = readonly [one: string, other: string];

/** Two initials are not a pair: too many names have them. */
function pairsOf(words: readonly string[]): readonly Pair[] {
  const pairs = words.flatMap((one, at) => words.slice(at + 1).map((other): Pair => [one, other]));
  return pairs.filter((pair) => pair.some((word) => !isInitial(word)));
}

/** A letter of an alphabet alone is an initial; an ideograph or a Korean syllable may be a whole name. */
function isInitial(word: string): boolean {
  return word.length === 1 && !/[\p{Ideographic}\p{sc=Hangul}]/u.test(word);
}

function initialOf(word: string): string {
  return String.fromCodePoint(word.codePointAt(0) ?? 0);
}

function initialTerm(word: string, other: string): NameTerm {
  return { form: "initial", text: `${initialOf(word)} ${other}` };
}

/** The last name may come first or last, and may have several words. */
function rotations(words: readonly string[]): readonly NameTerm[] {
  return words.slice(0, storedWordsMax).map((_, at) => {
    return { form: "whole", text: [...words.slice(at), ...words.slice(0, at)].join("") };
  });
}

/** Removes the legal forms at the end, and one at the beginning; "S. p. A." and "Sp. z o.o." are forms too. */
function coreOf(words: readonly string[]): readonly string[] {
  let core = words;
  for (let length = 0; length !== core.length;) {
    length = core.length;
    const ends = [4, 3, 2, 1].filter((count) => count < length);
    const end = ends.find((count) => legalForms.has(core.slice(-count).join("")));
    if (end !== undefined) core = core.slice(0, -end);
  }
  const [first = ""] = core;
  return core.length > 1 && legalForms.has(first) ? core.slice(1) : core;
}

function sortedTerm(form: NameForm, words: readonly string[]): NameTerm {
  return { form, text: words.toSorted().join(" ") };
}

/** Each term once; if there are two, the first counts. */
function unique<Term extends NameTerm>(terms: readonly Term[]): readonly Term[] {
  const found = new Map<string, Term>();
  for (const term of terms) {
    const key = `${term.form} ${term.text}`;
    if (!found.has(key)) found.set(key, term);
  }
  return [...found.values()];
}

/** Letters that have no marks to remove, and those whose marks are also written as letters, or only some of them. */
const latin = `
  ß ss, æ ae, œ oe, ł l, þ th, ð d dh d, đ d dj, ħ h, ı i, ŋ n ng, ŧ t, ĸ k, ə e a e e a,
  ü u ue u ue u ue, ö o oe oe o o oe, ø o oe oe o o oe, ä a ae ae a ae a, å a aa a aa aa a,
  ɓ b, ɗ d, ɖ d, ƙ k, ƴ y, ɛ e, ɔ o`;

/**
 * The columns are: travel documents (ICAO Doc 9303), English, older Russian documents, Ukrainian names, Serbian,
 * Bulgarian, and English with x or h. `^` is the beginning of a word.
 */
const cyrillic = `
  ий ii y iy yi i i y y, ый yi y yy y i y y y, ия iia ia iya iia ija ia ia ia,
  ія iia ia iya iia ija ia ia ia, кс ks ks ks ks ks ks x ks, а a, б b, в v,
  г g g g h g g g h, ґ g, д d, ^е e e ye e e e ye e, е e, ё e yo e yo jo e yo yo,
  ^є ie ye ye ye je ye ye ye, є ie ye ye ie je ye ye ye, ж zh zh zh zh z zh, з z,
  и i i i y i i i y, і i, ^ї i yi yi yi ji yi, ї i yi yi i ji yi, ^й i y y y j y, й i y y i j y,
  к k, л l, м m, н n, о o, п p, р r, с s, т t, у u, ў u u u u u u o, ф f, х kh kh kh kh h h kh kh,
  ц ts ts ts ts c ts, ч ch ch ch ch c ch, ш sh sh sh sh s sh,
  щ shch shch shch shch s sht shch shch, ъ ie - - - - a -, ы y, ь - - - - - y -, э e,
  ^ю iu yu yu yu ju yu, ю iu yu yu iu ju yu, ^я ia ya ya ya ja ya, я ia ya ya ia ja ya,
  ј j, љ lj, њ nj, ћ c, ђ d d d d dj, џ dz, ѕ dz, ѓ gj g, ќ kj k,
  ә a, ғ g g gh g, қ k k q k k k q, ң n n ng n, ө o, ұ u, ү u, һ h, ҳ h kh h, ҷ j`;

/** The spelling in passports (ELOT 743), then those that are common in English. */
const greek = `
  ου ou, αυ av au af, ευ ev eu ef, γγ ng, γκ gk g, μπ mp b mb mp, ντ nt d nt, α a, β v b v, γ g,
  δ d, ε e, ζ z, η i, θ th, ι i, κ k, λ l, μ m, ν n, ξ x, ο o, π p, ρ r, σ s, ς s, τ t,
  υ y i y, φ f ph f, χ ch h ch, ψ ps, ω o`;

/** Letters that have another form in another language of the script, or that are often replaced by a similar one. */
const arabic = "ک ك, ی ي, ى ي, ة ه, ہ ه, ھ ه, ٱ ا";

const columns = 8;
const isLetter = /\p{L}/u;

/** In the tables, `-` means no letter, and the last spelling fills the remaining columns. */
const spellings: ReadonlyMap<string, readonly string[]> = new Map(
  [latin, cyrillic, greek, arabic]
    .flatMap((table) => table.split(","))
    .map((entry) => {
      const [letters = "", ...cells] = entry.trim().split(" ");
      const texts = cells.map((text) => (text === "-" ? "" : text));
      return [letters, Array.from({ length: columns }, (_, at) => texts[at] ?? texts.at(-1) ?? "")];
    }),
);

/** Marks of alphabets. Those of other scripts are vowels, or distinguish syllables (U+3099 and U+309A). */
const marks =
  /[[\p{M}&&[\p{sc=Inherited}\p{sc=Cyrl}\p{sc=Arab}\p{sc=Hebr}\p{sc=Syrc}]]--[\u3099\u309a]]/gv;

/** In small letters without marks, each once: at most eight. Letters of other scripts stay. */
export function spell(text: string): readonly string[] {
  const small = text.normalize("NFKC").toLowerCase().normalize("NFC");
  const letters = Array.from(small).flatMap((letter) =>
    spellings.has(letter) ? [letter] : bare(letter),
  );
  const spelled: string[][] = Array.from({ length: columns }, () => []);
  for (let at = 0; at < letters.length;) {
    const [one = "", next = ""] = letters.slice(at, at + 2);
    const pair = next === "" ? undefined : spellings.get(one + next);
    const begins = !isLetter.test(letters[at - 1] ?? "");
    const own = pair ?? (begins ? spellings.get(`^${one}`) : undefined) ?? spellings.get(one);
    for (const [column, parts] of spelled.entries()) parts.push(own?.[column] ?? one);
    at += pair === undefined ? 1 : 2;
  }
  return [...new Set(spelled.map((parts) => parts.join("")))];
}

function bare(letter: string): readonly string[] {
  return Array.from(letter.normalize("NFD").replaceAll(marks, ""));
}
