/// The style sheet of the report: light and dark, by the reader's system or by the listener's wish.
enum ReportStyle {
    private static let light = """
        --bg:#fff;--fg:#1b1b1f;--soft:#5a5a66;--grid:#d9d9e0;--card:#f4f4f7;\
        --relaxed:#3f9b52;--normal:#3a6fc4;--elevated:#d9b400;--high:#e07b16;--overload:#c8322b;--none:#b9b9c2;\
        --deep:#2f3f8f;--core:#5b84d6;--rem:#37a3a3;--asleep:#9aa4b8;\
        --s0:#3a6fc4;--s1:#e07b16;--s2:#3f9b52;--s3:#8a4fb5;--s4:#c8322b
        """
    private static let dark = """
        --bg:#15151a;--fg:#ececf1;--soft:#a9a9b6;--grid:#34343d;--card:#1f1f27;\
        --relaxed:#5cbf70;--normal:#6f9cf0;--elevated:#e8cb3a;--high:#f29a45;--overload:#ee5f57;--none:#55555f;\
        --deep:#6f7fe0;--core:#8fb2f2;--rem:#5cc7c7;--asleep:#7d8698;\
        --s0:#6f9cf0;--s1:#f29a45;--s2:#5cbf70;--s3:#b98be0;--s4:#ee5f57
        """

    static let css = """
        :root{color-scheme:light dark;\(light)}
        @media (prefers-color-scheme:dark){:root:not([data-theme=light]){\(dark)}}
        :root[data-theme=light]{color-scheme:light}
        :root[data-theme=dark]{color-scheme:dark;\(dark)}
        *{box-sizing:border-box}
        body{margin:0;background:var(--bg);color:var(--fg);font:16px/1.5 system-ui,sans-serif}
        main{max-width:48rem;margin:0 auto;padding:1rem}
        h1{font-size:1.6rem}h2{font-size:1.25rem;margin-top:2rem}
        figure{margin:1rem 0;background:var(--card);padding:.75rem;border-radius:.5rem}
        figcaption{font-weight:600;margin-bottom:.25rem}
        svg{width:100%;height:auto;display:block}
        svg text{font-size:11px;fill:var(--soft)}
        .end{text-anchor:end}.mid{text-anchor:middle}
        .grid{stroke:var(--grid);stroke-width:1}
        .mark{stroke:var(--fg);stroke-width:1.5;stroke-dasharray:5 4}
        .line{fill:none;stroke-width:2}
        .line.s0{stroke:var(--s0)}.line.s1{stroke:var(--s1)}.line.s2{stroke:var(--s2)}.line.s3{stroke:var(--s3)}.line.s4{stroke:var(--s4)}
        .dot.s0,.f0{fill:var(--s0);background:var(--s0)}.dot.s1,.f1{fill:var(--s1);background:var(--s1)}
        .dot.s2,.f2{fill:var(--s2);background:var(--s2)}.dot.s3,.f3{fill:var(--s3);background:var(--s3)}
        .dot.s4,.f4{fill:var(--s4);background:var(--s4)}
        rect.l-relaxed{fill:var(--relaxed)}rect.l-normal{fill:var(--normal)}rect.l-elevated{fill:var(--elevated)}
        rect.l-high{fill:var(--high)}rect.l-overload{fill:var(--overload)}rect.l-none{fill:var(--none)}
        .key.l-relaxed{background:var(--relaxed)}.key.l-normal{background:var(--normal)}
        .key.l-elevated{background:var(--elevated)}.key.l-high{background:var(--high)}.key.l-overload{background:var(--overload)}
        rect.s-deep{fill:var(--deep)}rect.s-core{fill:var(--core)}rect.s-rem{fill:var(--rem)}rect.s-asleep{fill:var(--asleep)}
        .key.s-deep{background:var(--deep)}.key.s-core{background:var(--core)}.key.s-rem{background:var(--rem)}
        .key.s-asleep{background:var(--asleep)}
        .key{display:inline-block;width:.8em;height:.8em;border-radius:.15em;margin-right:.35em}
        .legend{list-style:none;display:flex;flex-wrap:wrap;gap:.25rem 1rem;padding:0;margin:.25rem 0 1rem}
        .tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(11rem,1fr));gap:.75rem}
        .tiles div{background:var(--card);border-radius:.5rem;padding:.75rem}
        dt{color:var(--soft);font-size:.85rem}dd{margin:0;font-weight:600}
        .scroll{overflow-x:auto}
        table{border-collapse:collapse;font-size:.9rem}th,td{padding:.2rem .5rem;text-align:left;border-bottom:1px solid var(--grid)}
        caption{text-align:left;color:var(--soft);padding-bottom:.25rem}
        .calendar td{border-left:.4rem solid transparent}
        .calendar td.l-relaxed{border-left-color:var(--relaxed)}.calendar td.l-normal{border-left-color:var(--normal)}
        .calendar td.l-elevated{border-left-color:var(--elevated)}.calendar td.l-high{border-left-color:var(--high)}
        .calendar td.l-overload{border-left-color:var(--overload)}.calendar td.l-none{border-left-color:var(--none)}
        abbr{text-decoration:none}
        footer{color:var(--soft);font-size:.85rem;margin-top:2rem}
        @media print{figure,.tiles div{background:none;border:1px solid var(--grid)}details{display:none}}
        """
}
