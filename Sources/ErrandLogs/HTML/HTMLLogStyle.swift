enum HTMLLogStyle {
  static let text = #"""
    :root { color-scheme: light dark; --ground: #ffffff; --raised: #f6f7f9; --hover: #eef3fb; --chosen: #dfeafc; --line: #e1e5ea; --text: #1a1f27; --faint: #5c6675;
      --accent: #1f5fd0; --good: #157347; --good-ground: #dff3e7; --moved: #1f5fd0; --moved-ground: #e1ecfd; --warn: #8a5200; --warn-ground: #fdefd5;
      --bad: #b3261e; --bad-ground: #fde5e3; --idle-ground: #e8ebef; --string: #0b6e4f; --digits: #1f5fd0; --word: #8a3ffc; --key: #8a3b12;
      --wait: #b6bfca; --name: #2a9d9d; --connect: #e08a1e; --secure: #9b59d0; --server: #3aa76d; --body: #3f83f0; --redirect: #c94f86; --own: #8d99a8;
      --mono: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
    @media (prefers-color-scheme: dark) {
      :root { --ground: #14171c; --raised: #1b1f26; --hover: #20262f; --chosen: #20345a; --line: #2b313b; --text: #e4e8ee; --faint: #98a3b3;
        --accent: #7fb0ff; --good: #6fd39b; --good-ground: #17362a; --moved: #8bb8ff; --moved-ground: #1c2f50; --warn: #f0b55c; --warn-ground: #3b2c12;
        --bad: #ff8e85; --bad-ground: #44201f; --idle-ground: #2a3039; --string: #7fd6a8; --digits: #8bb8ff; --word: #c9a0ff; --key: #f0a97c;
        --wait: #5b6675; --name: #35b5b5; --connect: #e59a3c; --secure: #b07fe0; --server: #4cc283; --body: #5b97f7; --redirect: #e07aa8; --own: #7d8899; }
    }
    * { box-sizing: border-box; }
    html, body { height: 100%; margin: 0; }
    body { display: flex; flex-direction: column; background: var(--ground); color: var(--text); font: 13px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
    button, input, summary { font: inherit; color: inherit; }
    h1, h2, h3, p, dl, dd, ul, pre, figure { margin: 0; padding: 0; }
    [hidden] { display: none !important; }
    :focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; }
    .unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
    .faint { color: var(--faint); }
    noscript p { padding: 16px; }

    #top { display: flex; flex-wrap: wrap; align-items: center; gap: 6px 16px; padding: 8px 12px; background: var(--raised); border-bottom: 1px solid var(--line); }
    #heading { display: flex; align-items: baseline; gap: 8px; min-width: 0; }
    h1 { font-size: 14px; font-weight: 650; letter-spacing: .01em; }
    #run, #sum { color: var(--faint); font-variant-numeric: tabular-nums; }
    #search { display: flex; flex: 1 1 420px; align-items: center; gap: 6px; position: relative; min-width: 0; }
    #filter { flex: 1 1 120px; min-width: 0; height: 30px; padding: 0 10px; border: 1px solid var(--line); border-radius: 7px; background: var(--ground); }
    #search button, #helping summary { height: 30px; padding: 0 10px; border: 1px solid var(--line); border-radius: 7px; background: var(--ground); cursor: pointer; white-space: nowrap; }
    #search button:hover, #helping summary:hover { background: var(--hover); }
    #search button[aria-pressed="true"] { background: var(--chosen); border-color: var(--accent); color: var(--accent); }
    #helping summary { display: grid; place-items: center; width: 30px; padding: 0; list-style: none; }
    #helping summary::-webkit-details-marker { display: none; }
    #help { position: absolute; z-index: 5; top: 36px; right: 0; width: min(460px, calc(100vw - 24px)); padding: 14px 16px; background: var(--ground); border: 1px solid var(--line);
      border-radius: 10px; box-shadow: 0 12px 32px rgb(0 0 0 / .22); }
    #help dl { margin: 10px 0; } #help dt { font-family: var(--mono); font-size: 12px; } #help dd { margin: 0 0 6px; color: var(--faint); }
    kbd { padding: 0 5px; border: 1px solid var(--line); border-radius: 4px; background: var(--raised); font: 12px var(--mono); }
    #hint { flex-basis: 100%; color: var(--warn); }
    #notice { flex-basis: 100%; padding: 6px 10px; border-radius: 7px; background: var(--warn-ground); color: var(--warn); }
    a { color: var(--accent); }

    #main { display: flex; flex: 1; min-height: 0; }
    #listing { display: flex; flex: 1 1 0; flex-direction: column; min-width: 0; position: relative; }
    #list { flex: 1; overflow-y: scroll; overflow-x: hidden; scrollbar-gutter: stable; }
    #rows { position: relative; min-height: 1px; }
    #nothing { position: absolute; inset: 38% 0 auto; text-align: center; color: var(--faint); }
    #columns, .row { display: grid; grid-template-columns: 46px 82px 58px minmax(120px, 1.4fr) minmax(90px, 1fr) 66px 70px 42px 90px minmax(120px, 18%); align-items: center; column-gap: 10px; padding: 0 12px; }
    #columns { height: 30px; overflow-y: scroll; scrollbar-gutter: stable; scrollbar-color: transparent transparent; border-bottom: 1px solid var(--line); background: var(--raised); }
    #columns::-webkit-scrollbar { background: transparent; }
    #columns button { display: flex; gap: 4px; height: 29px; padding: 0; border: 0; background: none; color: var(--faint); font-size: 12px; cursor: pointer; white-space: nowrap; overflow: hidden; align-items: center; }
    #columns button:hover { color: var(--text); } #columns button[aria-pressed="true"] { color: var(--text); font-weight: 600; }
    #columns .number, #columns .size, #columns .duration, #columns .tries { justify-content: flex-end; }
    .scale { margin-left: auto; font-weight: 400; color: var(--faint); font-variant-numeric: tabular-nums; }
    .row { position: absolute; left: 0; right: 0; height: 30px; border-bottom: 1px solid var(--line); cursor: default; }
    .row:hover { background: var(--hover); } .row.open { background: var(--chosen); }
    .row > div { min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
    .row .number, .row .size, .row .duration, .row .tries, .row .time { font-variant-numeric: tabular-nums; }
    .row .number { color: var(--faint); } .row .number, .row .size, .row .duration, .row .tries { text-align: right; }
    .row .time, .row .host { color: var(--faint); }
    .row .method { font: 600 12px var(--mono); }
    .row .name, .row .where { display: flex; gap: 8px; align-items: baseline; } .row .name > *, .row .where > * { overflow: hidden; text-overflow: ellipsis; }
    .path { font-weight: 500; flex: 0 1 auto; } .host { flex: 0 1 auto; max-width: 60%; } .host:last-child { max-width: none; } .comment { flex: 0 1000 auto; color: var(--accent); }
    .tag { flex: none; padding: 0 6px; border: 1px solid var(--line); border-radius: 5px; color: var(--moved); font-size: 11px; line-height: 16px; }
    .row .many { color: var(--warn); font-weight: 650; }
    .pill { display: inline-block; padding: 0 8px; border-radius: 20px; background: var(--idle-ground); font-size: 12px; font-weight: 600; line-height: 19px; font-variant-numeric: tabular-nums; }
    .s2 .pill { background: var(--good-ground); color: var(--good); } .s3 .pill { background: var(--moved-ground); color: var(--moved); }
    .s4 .pill { background: var(--warn-ground); color: var(--warn); } .s5 .pill, .failed .pill { background: var(--bad-ground); color: var(--bad); }
    .row.s5 .path, .row.failed .path { color: var(--bad); } .row.s4 .path { color: var(--warn); }
    .bar { position: relative; height: 12px; width: 100%; overflow: hidden; }
    .bar i { position: absolute; top: 1px; bottom: 1px; border-radius: 2px; background: var(--wait); }
    .bar .name { background: var(--name); } .bar .connect { background: var(--connect); } .bar .secure { background: var(--secure); } .bar .server { background: var(--server); } .bar .body { background: var(--body); }
    .bar .redirect { background: var(--redirect); } .bar .before, .bar .after { top: 4px; bottom: 4px; background: var(--own); }
    .bar .transfer, .bar .mock, .bar .cache { background: repeating-linear-gradient(90deg, var(--server) 0 5px, transparent 5px 7px); }
    .bar .wait { top: 4px; bottom: 4px; } .bar .retry { top: 5px; bottom: 5px; background: repeating-linear-gradient(90deg, var(--wait) 0 3px, transparent 3px 6px); }
    .bar .pending { background: repeating-linear-gradient(115deg, var(--wait) 0 4px, transparent 4px 8px); }

    #sorting { display: none; align-items: center; gap: 8px; width: 100%; color: var(--faint); font-size: 12px; }
    #order, #way { height: 24px; padding: 0 6px; border: 1px solid var(--line); border-radius: 6px; background: var(--ground); color: var(--text); font: inherit; }
    #columns #way { height: 24px; padding: 0 8px; border: 1px solid var(--line); color: var(--text); }
    .folded #columns { display: flex; height: 34px; } .folded #columns > button { display: none; } .folded #sorting { display: flex; }
    .folded .row { align-content: center; column-gap: 8px; } .folded .row .once { display: none; }
    .folded .row .size, .folded .row .time, .folded .row .number, .folded .row .where { font-size: 12px; color: var(--faint); } .folded .row .tries { font-size: 12px; text-align: left; }
    .folded .row .status { grid-area: status; } .folded .row .method { grid-area: method; } .folded .row .name { grid-area: name; } .folded .row .duration { grid-area: duration; }
    .folded .row .number { grid-area: number; text-align: left; padding-left: 8px; } .folded .row .tries { grid-area: tries; } .folded .row .where { grid-area: where; }
    .folded .row .time { grid-area: time; } .folded .row .size { grid-area: size; } .folded .row .fall { grid-area: fall; }
    .middle .row { height: 48px; grid-template: "status status method name name duration fall" 22px "number tries where where time size fall" 18px / 50px 28px 58px minmax(0, 1fr) auto minmax(62px, auto) minmax(90px, 20%); }
    .small .row { height: 60px; grid-template: "status status method name duration" 22px "number tries where where size" 18px "fall fall fall fall fall" 8px / 44px 30px 52px minmax(0, 1fr) minmax(62px, auto); }
    .small .row .time { display: none; }
    .small .row .bar { height: 4px; } .small .row .bar i { top: 0; bottom: 0; }

    #panel { flex: 0 0 46%; min-width: 0; max-width: 860px; display: flex; flex-direction: column; border-left: 1px solid var(--line); background: var(--ground); outline: none; }
    #about { padding: 10px 14px 8px; }
    #about .line { display: flex; align-items: center; gap: 10px; }
    h2 { flex: 1; min-width: 0; font-size: 15px; font-weight: 650; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
    #close { width: 32px; height: 32px; border: 0; border-radius: 7px; background: none; cursor: pointer; } #close:hover { background: var(--hover); }
    .url { font: 12px/1.5 var(--mono); color: var(--faint); overflow-wrap: anywhere; } .url b { color: var(--text); }
    .address { display: flex; align-items: flex-start; gap: 8px; } .address .url { flex: 1; min-width: 0; max-height: 4.6em; overflow-y: auto; } .address .copy { flex: none; }
    .warning { padding: 6px 10px; border-radius: 7px; background: var(--warn-ground); color: var(--warn); }
    .way { margin: 0; padding-left: 22px; } .way li + li { margin-top: 6px; }
    #about .comment { margin: 4px 0 0; }
    [role="tablist"] { display: flex; gap: 2px; padding: 0 10px; border-bottom: 1px solid var(--line); }
    [role="tab"] { padding: 7px 12px; border: 0; border-bottom: 2px solid transparent; background: none; color: var(--faint); cursor: pointer; }
    [role="tab"][aria-selected="true"] { border-color: var(--accent); color: var(--text); font-weight: 600; } [role="tab"]:hover { color: var(--text); }
    #part { flex: 1; overflow: auto; padding: 12px 14px 32px; }
    #part > * + * { margin-top: 16px; }
    h3 { display: flex; flex-wrap: wrap; align-items: center; gap: 8px; margin-bottom: 6px; font-size: 13px; font-weight: 650; }
    .count { color: var(--faint); font-weight: 400; font-size: 12px; }
    .copy { padding: 1px 9px; border: 1px solid var(--line); border-radius: 6px; background: var(--raised); font: 12px system-ui, sans-serif; cursor: pointer; }
    .copy:hover { background: var(--hover); } .copy[aria-pressed="true"] { background: var(--chosen); } .copy.done { border-color: var(--good); color: var(--good); }
    h3 .copy:first-of-type { margin-left: auto; } 
    .attempts { display: flex; flex-wrap: wrap; gap: 6px; }
    .attempts button { display: grid; grid-template-columns: auto auto; justify-content: start; gap: 0 6px; padding: 5px 10px; border: 1px solid var(--line); border-left: 3px solid var(--good); border-radius: 7px; background: var(--ground); cursor: pointer; text-align: left; }
    .attempts .failed { border-left-color: var(--bad); } .attempts button[aria-pressed="true"] { background: var(--chosen); } .attempts small { grid-column: 1 / 3; color: var(--faint); }
    .error { padding: 10px 12px; border-radius: 9px; background: var(--bad-ground); } .error h3 { color: var(--bad); } .error pre { font: 12.5px/1.5 var(--mono); white-space: pre-wrap; overflow-wrap: anywhere; } .error .copy { margin-top: 8px; }
    .facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 3px 16px; } .facts dt { color: var(--faint); } .facts dd { overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
    table { width: 100%; border-collapse: collapse; } th { text-align: left; font-weight: 500; vertical-align: top; } td { vertical-align: top; }
    .timing th { width: 132px; color: var(--faint); font-weight: 400; } .timing td:last-child { width: 74px; text-align: right; font-variant-numeric: tabular-nums; } .timing td, .timing th { padding: 1px 0; vertical-align: middle; }
    .timing .part th { padding-top: 8px; color: var(--text); font-weight: 600; }
    .chart .bar { background: var(--raised); border-radius: 3px; }
    .notes { padding-left: 18px; } .notes li { overflow-wrap: anywhere; } .notes li + li { margin-top: 2px; }
    .fields { font: 12px/1.5 var(--mono); } .fields th, .fields td { padding: 3px 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; } .fields th { width: 34%; min-width: 110px; padding-right: 14px; color: var(--key); }
    .hidden { color: var(--faint); font-style: italic; }
    pre, .json { font: 12px/1.55 var(--mono); }
    .raw, .hex, .curl, .json, .body > pre { padding: 10px 12px; border: 1px solid var(--line); border-radius: 9px; background: var(--raised); white-space: pre-wrap; overflow-wrap: anywhere; }
    .json details > summary { cursor: pointer; list-style: none; } .json summary::-webkit-details-marker { display: none; }
    .json summary::before { content: "▸"; display: inline-block; width: 14px; margin-left: -14px; color: var(--faint); } .json details[open] > summary::before { content: "▾"; }
    .json details > summary > .count { margin-left: 6px; user-select: none; } .json details[open] > summary > .count { visibility: hidden; }
    .json { padding-left: 26px; } .inside { padding-left: 20px; border-left: 1px solid var(--line); margin-left: 2px; }
    .key { color: var(--key); } .string { color: var(--string); } .digits { color: var(--digits); } .word { color: var(--word); } .cut { color: var(--faint); }
    figure { display: inline-block; max-width: 100%; } figcaption { margin-top: 4px; color: var(--faint); }
    img { display: block; max-width: 100%; max-height: 420px; border: 1px solid var(--line); border-radius: 6px; background: repeating-conic-gradient(#8883 0 25%, transparent 0 50%) 0 0 / 16px 16px; }
    .hop summary { cursor: pointer; overflow-wrap: anywhere; }

    @media (max-width: 899px) {
      #panel { position: fixed; inset: 0; z-index: 3; max-width: none; border: 0; }
      #about { padding: 8px 12px 6px; } #part { padding: 12px 12px 40px; }
      .has-panel #top, .has-panel #listing { visibility: hidden; }
    }
    @media (max-width: 559px) {
      #run { display: none; } #top { gap: 6px 10px; padding: 8px 10px; } #search { order: 3; flex-basis: 100%; flex-wrap: wrap; } #filter { flex-basis: 100%; height: 36px; font-size: 16px; }
      #search button, #helping summary { height: 34px; } #helping { margin-left: auto; } #help { top: 84px; } .fields th { width: 38%; min-width: 0; }
    }
    @media (prefers-reduced-motion: no-preference) { .copy, .row { transition: background-color .12s; } }

    """#
}
