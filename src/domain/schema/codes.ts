// The code lists of ISO 3166-1 (countries) and ISO 4217 (currencies) that records are checked against.
// Data only: knows no names, and is updated by hand when the standards are amended (both as of November 2026).

// ISO 3166-1: the alpha-2 and alpha-3 codes of all 249 countries that have official ones, and of Kosovo. XK and XKX are
// user-assigned ones that banks, SWIFT and the European Commission use.
const countries = `
  AD:AND AE:ARE AF:AFG AG:ATG AI:AIA AL:ALB AM:ARM AO:AGO AQ:ATA AR:ARG AS:ASM AT:AUT AU:AUS
  AW:ABW AX:ALA AZ:AZE BA:BIH BB:BRB BD:BGD BE:BEL BF:BFA BG:BGR BH:BHR BI:BDI BJ:BEN BL:BLM
  BM:BMU BN:BRN BO:BOL BQ:BES BR:BRA BS:BHS BT:BTN BV:BVT BW:BWA BY:BLR BZ:BLZ CA:CAN CC:CCK
  CD:COD CF:CAF CG:COG CH:CHE CI:CIV CK:COK CL:CHL CM:CMR CN:CHN CO:COL CR:CRI CU:CUB CV:CPV
  CW:CUW CX:CXR CY:CYP CZ:CZE DE:DEU DJ:DJI DK:DNK DM:DMA DO:DOM DZ:DZA EC:ECU EE:EST EG:EGY
  EH:ESH ER:ERI ES:ESP ET:ETH FI:FIN FJ:FJI FK:FLK FM:FSM FO:FRO FR:FRA GA:GAB GB:GBR GD:GRD
  GE:GEO GF:GUF GG:GGY GH:GHA GI:GIB GL:GRL GM:GMB GN:GIN GP:GLP GQ:GNQ GR:GRC GS:SGS GT:GTM
  GU:GUM GW:GNB GY:GUY HK:HKG HM:HMD HN:HND HR:HRV HT:HTI HU:HUN ID:IDN IE:IRL IL:ISR IM:IMN
  IN:IND IO:IOT IQ:IRQ IR:IRN IS:ISL IT:ITA JE:JEY JM:JAM JO:JOR JP:JPN KE:KEN KG:KGZ KH:KHM
  KI:KIR KM:COM KN:KNA KP:PRK KR:KOR KW:KWT KY:CYM KZ:KAZ LA:LAO LB:LBN LC:LCA LI:LIE LK:LKA
  LR:LBR LS:LSO LT:LTU LU:LUX LV:LVA LY:LBY MA:MAR MC:MCO MD:MDA ME:MNE MF:MAF MG:MDG MH:MHL
  MK:MKD ML:MLI MM:MMR MN:MNG MO:MAC MP:MNP MQ:MTQ MR:MRT MS:MSR MT:MLT MU:MUS MV:MDV MW:MWI
  MX:MEX MY:MYS MZ:MOZ NA:NAM NC:NCL NE:NER NF:NFK NG:NGA NI:NIC NL:NLD NO:NOR NP:NPL NR:NRU
  NU:NIU NZ:NZL OM:OMN PA:PAN PE:PER PF:PYF PG:PNG PH:PHL PK:PAK PL:POL PM:SPM PN:PCN PR:PRI
  PS:PSE PT:PRT PW:PLW PY:PRY QA:QAT RE:REU RO:ROU RS:SRB RU:RUS RW:RWA SA:SAU SB:SLB SC:SYC
  SD:SDN SE:SWE SG:SGP SH:SHN SI:SVN SJ:SJM SK:SVK SL:SLE SM:SMR SN:SEN SO:SOM SR:SUR SS:SSD
  ST:STP SV:SLV SX:SXM SY:SYR SZ:SWZ TC:TCA TD:TCD TF:ATF TG:TGO TH:THA TJ:TJK TK:TKL TL:TLS
  TM:TKM TN:TUN TO:TON TR:TUR TT:TTO TV:TUV TW:TWN TZ:TZA UA:UKR UG:UGA UM:UMI US:USA UY:URY
  UZ:UZB VA:VAT VC:VCT VE:VEN VG:VGB VI:VIR VN:VNM VU:VUT WF:WLF WS:WSM YE:YEM YT:MYT ZA:ZAF
  ZM:ZMB ZW:ZWE
  XK:XKX
`
  .trim()
  .split(/\s+/)
  .map((pair) => pair.split(":") as [alpha2: string, alpha3: string]);

export const countriesAlpha2: ReadonlySet<string> = new Set(countries.map(([alpha2]) => alpha2));
export const countriesAlpha3: ReadonlySet<string> = new Set(countries.map(([, alpha3]) => alpha3));

// ISO 4217, list one: every active code, with funds (CHW, MXV …), metals, XTS (testing) and XXX (no currency).
const activeCurrencies = `
  AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN
  BZD CAD CDF CHE CHF CHW CLF CLP CNY COP COU CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR
  FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY
  KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU
  MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON
  RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP
  TRY TTD TWD TZS UAH UGX USD USN UYI UYU UYW UZS VED VES VND VUV WST XAD XAF XAG XAU XBA XBB
  XBC XBD XCD XCG XDR XOF XPD XPF XPT XSU XTS XUA XXX YER ZAR ZMW ZWG
`;

// ISO 4217, list three: every historic code, the last month in which it was valid, and what replaced it.
const historicCurrencies = `
  ADP:2003-07:EUR AFA:2003-01:AFN ALK:1989-12:ALL ANG:2025-03:XCG AOK:1991-03:AON AON:2000-02:AOA
  AOR:2000-02:AOA ARA:1992-01:ARS ARP:1985-07:ARA ARY:1990-12 ATS:2002-03:EUR AYM:2005-10:AZN
  AZM:2005-12:AZN BAD:1997-07:BAM BEC:1990-03:BEF BEF:2002-03:EUR BEL:1990-03:BEF BGJ:1990-12
  BGK:1990-12:BGL BGL:2003-11:BGN BGN:2026-01:EUR BOP:1987-02:BOB BRB:1986-03:BRC BRC:1989-02:BRN
  BRE:1993-03:BRR BRN:1990-03:BRE BRR:1994-07:BRL BUK:1990-02:MMK BYB:2001-01:BYR BYR:2017-01:BYN
  CHC:2004-11:CHW CNX:1989-12 CSD:2006-10:RSD CSJ:1990-12:CSK CSK:1993-03:CZK CUC:2021-06:CUP
  CYP:2008-01:EUR DDM:1990-09:DEM DEM:2002-03:EUR ECS:2000-09:USD ECV:2000-09:USD EEK:2011-01:EUR
  EQE:1989-12 ESA:1981-12:ESP ESB:1994-12:ESP ESP:2002-03:EUR FIM:2002-03:EUR FRF:2002-03:EUR
  GEK:1995-10:GEL GHC:2008-01:GHS GHP:2007-06:GHS GNE:1989-12:GNF GNS:1986-02:GNF GQE:1986-06:XAF
  GRD:2002-03:EUR GWE:1981-12:GWP GWP:1997-05:XOF HRD:1995-01:HRK HRK:2023-01:EUR IEP:2002-03:EUR
  ILP:1981-12:ILR ILR:1990-12:ILS ISJ:1990-12:ISK ITL:2002-03:EUR LAJ:1989-12:LAK LSM:1985-05:LSL
  LTL:2014-12:EUR LTT:1993-07:LTL LUC:1990-03:LUF LUF:2002-03:EUR LUL:1990-03:LUF LVL:2014-01:EUR
  LVR:1994-12:LVL MAF:1989-12 MGF:2004-12:MGA MLF:1984-11:XOF MRO:2017-12:MRU MTL:2008-01:EUR
  MTP:1983-06:MTL MVQ:1989-12:MVR MXP:1993-01:MXN MZE:1981-12:MZM MZM:2006-06:MZN NIC:1990-10:NIO
  NLG:2002-03:EUR PEH:1990-12 PEI:1991-07:PEN PES:1986-02:PEI PLZ:1997-01:PLN PTE:2002-03:EUR
  RHD:1981-12:ZWD ROK:1990-12:ROL ROL:2005-06:RON RUR:2004-01:RUB SDD:2007-07:SDG SDP:1998-06:SDD
  SIT:2007-01:EUR SKK:2009-01:EUR SLL:2023-12:SLE SRG:2003-12:SRD STD:2017-12:STN SUR:1990-12:RUR
  TJR:2001-04:TJS TMM:2009-01:TMT TPE:2002-11:USD TRL:2005-12:TRY UAK:1996-09:UAH UGS:1987-05:UGX
  UGW:1990-12 USS:2014-03:USD UYN:1989-12:UYP UYP:1993-03:UYU VEB:2008-01:VEF VEF:2018-08:VES
  VNC:1990-12:VND XEU:1999-01:EUR XFO:2006-10 XFU:2013-11:EUR XRE:1999-11 YDD:1991-09:YER
  YUD:1990-01:YUN YUM:2003-07:CSD YUN:1995-11:YUM ZAL:1995-03:ZAR ZMK:2012-12:ZMW ZRN:1999-06:CDF
  ZRZ:1994-02:ZRN ZWC:1989-12:ZWD ZWD:2008-08:ZWR ZWL:2024-08:ZWG ZWN:2006-09:ZWR ZWR:2009-06:ZWL
`;

export interface Withdrawal {
  /** Such as 2018-08. */
  readonly month: string;
  readonly successor: string | undefined;
}

const withdrawals: ReadonlyMap<unknown, Withdrawal> = new Map(
  [...setOf(historicCurrencies)].map((entry) => {
    const [code = "", month = "", successor] = entry.split(":");
    return [code, { month, successor }];
  }),
);

/** Those withdrawn since then have not left the books yet, and are accepted at any time. */
const booksFrom = "2021-01";

/** Undefined for a currency that is accepted at any time. */
export function withdrawalOf(code: unknown): Withdrawal | undefined {
  const withdrawal = withdrawals.get(code);
  return withdrawal === undefined || withdrawal.month >= booksFrom ? undefined : withdrawal;
}

/** ISO 4217 codes, active and historic: a record's timestamp is business time. */
export const currencies: ReadonlySet<string> = setOf(activeCurrencies).union(
  new Set([...withdrawals.keys()].map(String)),
);

// ISO 4217: the digits of the minor unit where they are not two, also of historic codes. CLDR, and so Intl, has
// those in use for cash instead, such as 0 for HUF.
const minorDigits: ReadonlyMap<string, number | undefined> = new Map(
  (
    [
      [undefined, "XAG XAU XBA XBB XBC XBD XDR XEU XFO XFU XPD XPT XRE XSU XTS XUA XXX"],
      [
        0,
        `ADP BEF BIF BYB BYR CLP DJF ESP GNF GRD ISK ITL JPY KMF KRW LUF MGF PTE PYG RWF TPE TRL
         UGX UYI VND VUV XAF XOF XPF`,
      ],
      [3, "BHD IQD JOD KWD LYD OMR TND"],
      [4, "CLF UYW"],
    ] as const
  ).flatMap(([digits, codes]) => [...setOf(codes)].map((code) => [code, digits] as const)),
);

/** Undefined for what is no currency, or one without minor units, such as gold. */
export function minorDigitsOf(currency: string): number | undefined {
  if (!currencies.has(currency)) return undefined;
  return minorDigits.has(currency) ? minorDigits.get(currency) : 2;
}

/** What is often sent in place of a code: the other code of a country, and common mistakes. */
const mistaken: ReadonlyMap<string, string> = new Map([
  ...countries.map(([alpha2, alpha3]) => [alpha3, alpha2] as const),
  ["UK", "GB"],
  ["EL", "GR"],
  ["RMB", "CNY"],
  ["NIS", "ILS"],
]);

/** The code among these that the text means in another case, with blanks around it, or by a common mistake. */
export function codeMeantBy(text: string, codes: ReadonlySet<string>): string | undefined {
  if (text.length > mistakenCharactersMax) return undefined;
  const sent = text.trim().toUpperCase();
  if (codes.has(sent)) return sent;
  const meant = mistaken.get(sent) ?? "";
  return codes.has(meant) ? meant : undefined;
}

const mistakenCharactersMax = 16;

function setOf(codes: string): ReadonlySet<string> {
  return new Set(codes.trim().split(/\s+/));
}
