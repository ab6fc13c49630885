/** The style of the reference page, inline so that nothing is fetched; the Content-Security-Policy allows it by its hash. */
import { createHash } from 'node:crypto'

export const style = `
:root{color-scheme:light dark;--ground:#fff;--raised:#f6f7f9;--line:#dde1e7;--text:#1b2430;--faint:#566070;--accent:#0b5cad;--get:#0b6b3a;--post:#8a4b00;--ok:#0b6b3a;--fault:#a3271f}
@media(prefers-color-scheme:dark){:root{--ground:#11151b;--raised:#1a2029;--line:#2f3846;--text:#e4e8ee;--faint:#9aa6b6;--accent:#7cb8ff;--get:#6fd39b;--post:#f0b465;--ok:#6fd39b;--fault:#ff9a8f}}
*{box-sizing:border-box}
html{scroll-behavior:smooth;scroll-padding-top:1rem}
@media(prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
body{margin:0;background:var(--ground);color:var(--text);font:16px/1.55 system-ui,-apple-system,"Segoe UI",sans-serif;display:grid;grid-template-columns:17rem minmax(0,1fr)}
a{color:var(--accent)}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:1rem;background:var(--ground);padding:.5rem}
nav{position:sticky;top:0;height:100vh;overflow:auto;padding:1.5rem 1rem;border-right:1px solid var(--line);background:var(--raised);font-size:.9rem}
nav strong{display:block;margin:1.2rem 0 .3rem;color:var(--faint);font-size:.75rem;letter-spacing:.06em;text-transform:uppercase}
nav ul{list-style:none;margin:0;padding:0}
nav li a{display:block;padding:.25rem .4rem;border-radius:.3rem;text-decoration:none;color:var(--text)}
nav li a:hover{background:var(--line)}
main{padding:2rem 2.5rem 6rem;max-width:62rem}
h1{font-size:2rem;line-height:1.2;margin:0 0 .25rem}
h2{margin:3.5rem 0 .5rem;padding-bottom:.4rem;border-bottom:1px solid var(--line)}
h3{margin:2.5rem 0 .5rem;font-size:1.2rem}
h4{margin:1.5rem 0 .5rem;font-size:.8rem;letter-spacing:.06em;text-transform:uppercase;color:var(--faint)}
.faint{color:var(--faint)}
.path{display:flex;flex-wrap:wrap;gap:.75rem;align-items:baseline;padding:.6rem .9rem;border:1px solid var(--line);border-radius:.4rem;background:var(--raised);font:600 .95rem/1.4 ui-monospace,SFMono-Regular,Menlo,monospace;overflow-wrap:anywhere}
.get{color:var(--get)}.post{color:var(--post)}.key{margin-left:auto;font:400 .8rem system-ui,sans-serif;color:var(--faint)}
code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,monospace;font-size:.875em}
p code,td code,li code{background:var(--raised);border:1px solid var(--line);border-radius:.25rem;padding:.05em .3em;overflow-wrap:anywhere}
pre{margin:.5rem 0;padding:.9rem 1rem;overflow:auto;max-height:32rem;background:var(--raised);border:1px solid var(--line);border-radius:.4rem;line-height:1.45}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.9rem}
th,td{text-align:left;vertical-align:top;padding:.45rem .75rem .45rem 0;border-bottom:1px solid var(--line)}
th{font-weight:600;color:var(--faint)}td:first-child{white-space:nowrap}
.must{color:var(--fault);font-size:.8rem}
details{border:1px solid var(--line);border-radius:.4rem;margin:.5rem 0;padding:0 .9rem}
summary{cursor:pointer;padding:.55rem 0}
summary b{font-family:ui-monospace,Menlo,monospace;margin-right:.6rem}
.ok{color:var(--ok)}.fault{color:var(--fault)}
form{margin:1rem 0}label{display:block;color:var(--faint);font-size:.75rem}input,textarea{width:100%;padding:.4rem;font:inherit;color:inherit;background:var(--ground);border:1px solid var(--line);border-radius:.3rem}[data-run] form{display:grid;gap:.75rem}[data-run] form>*{margin:0;min-width:0}[data-run] input,textarea{font-size:.9rem}textarea{font-family:ui-monospace,SFMono-Regular,Menlo,monospace}[data-run] button{justify-self:start;padding:.4rem 1rem;font:inherit;cursor:pointer}main ul{padding-left:1.2rem}main li{margin:.5rem 0}
@media(max-width:52rem){body{display:block}nav{position:static;height:auto;max-height:40vh;border-right:0;border-bottom:1px solid var(--line)}main{padding:1.25rem 1rem 4rem}.key{margin-left:0}}
@media print{nav{display:none}body{display:block}}
`

/** Allows no scripts, images, frames or requests, and only the form of the search. */
export const contentSecurityPolicy = policyWith([])

/** Allows this script besides, and its requests to the origin of the page. */
export const scriptedPolicy = (script: string): string =>
  policyWith([`script-src ${hashOf(script)}`, "connect-src 'self'"])

function policyWith(more: readonly string[]): string {
  return [
    "default-src 'none'",
    `style-src ${hashOf(style)}`,
    ...more,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}
