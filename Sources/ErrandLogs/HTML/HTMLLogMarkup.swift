/// The elements of a page, filled by the script.
enum HTMLLogMarkup {
  static let text = #"""
    <header id="top">
      <div id="heading"><h1>Errand</h1><span id="run"></span></div>
      <div id="search" role="search">
        <label for="filter" class="unseen">Filter the exchanges</label>
        <input id="filter" type="search" autocomplete="off" spellcheck="false" placeholder="Filter, press /" aria-describedby="help">
        <button id="failed" type="button" aria-pressed="false">Failed</button>
        <button id="retried" type="button" aria-pressed="false">Retried</button>
        <button id="slow" type="button" aria-pressed="false">Slow</button>
        <button id="follow" type="button" aria-pressed="false" title="Reloads the page every two seconds, and shows the newest exchange">Follow</button>
        <details id="helping"><summary aria-label="Help for the filter">?</summary>
          <div id="help"><p>The filter shows exchanges with all words in the method, URL, status, comment, type or kind of error. A minus before a word hides exchanges with the word.</p>
          <dl><dt>status:404 status:5</dt><dd>the status, or its beginning</dd>
          <dt>id:24 or #24</dt><dd>the number of the dispatch in its agent; the console prints [24.1]</dd>
          <dt>method:post host:api path:users url:q= type:GetUser comment:profile</dt><dd>a part of the named field</dd>
          <dt>error:timedOut</dt><dd>a part of the error's kind or text</dd>
          <dt>is:failed is:retried is:redirected</dt><dd>the outcome; also is:pending, is:cancelled, is:success, is:mocked, is:cached</dd>
          <dt>slower:300 slower:0.3s larger:10k</dt><dd>the duration, in milliseconds or with a unit; the bytes of the answer</dd>
          <dt>body:ada</dt><dd>a word in a displayed body, or in a header</dd></dl>
          <p>Keys: <kbd>/</kbd> filter, <kbd>↑</kbd> <kbd>↓</kbd> move, <kbd>Enter</kbd> open, <kbd>Esc</kbd> close, <kbd>1</kbd> to <kbd>4</kbd> the tabs, <kbd>c</kbd> copy the curl command.</p></div>
        </details>
      </div>
      <p id="sum" role="status"></p>
      <p id="hint" role="status" hidden></p>
      <p id="notice" role="note" hidden></p>
    </header>
    <main id="main">
      <section id="listing" aria-label="Exchanges">
        <div id="columns" role="group" aria-label="Sort by"></div>
        <div id="list" role="grid" aria-label="Exchanges"><div id="rows" role="rowgroup"></div></div>
        <p id="nothing" hidden></p>
      </section>
      <aside id="panel" aria-label="The exchange" tabindex="-1" hidden></aside>
    </main>
    <p id="said" class="unseen" role="status"></p>
    <noscript><p>This page needs JavaScript, which this browser does not run.</p></noscript>
    """#
}
