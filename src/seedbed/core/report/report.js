(() => {
  const paper = document.getElementById("filter-paper");
  const verdict = document.getElementById("filter-verdict");
  const count = document.getElementById("filter-count");
  const claims = [...document.querySelectorAll(".claim")];

  function apply() {
    let shown = 0;
    for (const section of document.querySelectorAll("section.paper")) {
      let any = false;
      const chosen = !paper.value || section.dataset.paper === paper.value;
      for (const claim of section.querySelectorAll(".claim")) {
        const match = chosen && (!verdict.value || claim.dataset.verdict === verdict.value);
        claim.hidden = !match;
        any ||= match;
        shown += match;
      }
      section.hidden = !any;
    }
    count.textContent = `${shown} of ${claims.length} claims`;
  }

  paper.addEventListener("change", apply);
  verdict.addEventListener("change", apply);
  window.addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((d) => (d.open = true)));
  apply();
})();
