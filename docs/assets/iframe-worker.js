/* Search from a folder. Browsers start no workers from files, so there a worker's script runs in a hidden
   frame, with the same messages to and fro. Material for MkDocs looks for this file's name. */
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      this.waiting = []
      const frame = document.createElement("iframe")
      frame.hidden = true
      window.addEventListener("message", event => {
        if (event.source === frame.contentWindow)
          this.dispatchEvent(new MessageEvent("message", { data: event.data }))
      })
      frame.addEventListener("load", () => {
        this.window = frame.contentWindow
        for (const message of this.waiting) this.postMessage(message)
        this.waiting = []
      })
      const inside = "window.postMessage = message => parent.postMessage(message, '*')"
      frame.srcdoc = `<script>${inside}</script><script src="${url}"></script>`
      document.body.append(frame)
    }
    postMessage(message) {
      if (!this.window) this.waiting.push(message)
      else this.window.dispatchEvent(new this.window.MessageEvent("message", { data: message }))
    }
    terminate() {}
  }
}
