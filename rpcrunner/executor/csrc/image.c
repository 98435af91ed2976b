/* A mapper for kernel images: ELF shared objects that need nothing from outside. Only
 * relocations relative to the image or to its own symbols are allowed; constructors,
 * thread-local storage and undefined symbols are refused. The C library's loader is not
 * involved: it would run the image's constructors and open files. */
#define _GNU_SOURCE
#include "honex.h"

#include <elf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
enum { MACHINE = EM_X86_64, REL_RELATIVE = 8, REL_ABS = 1, REL_GLOB = 6, REL_JUMP = 7 };
#elif defined(__aarch64__)
enum { MACHINE = EM_AARCH64, REL_RELATIVE = 1027, REL_ABS = 257, REL_GLOB = 1025, REL_JUMP = 1026 };
#elif defined(__riscv) && __riscv_xlen == 64
enum { MACHINE = EM_RISCV, REL_RELATIVE = 3, REL_ABS = 2, REL_GLOB = 2, REL_JUMP = 5 };
#else
#error "the executor knows x86-64, aarch64 and riscv64 images"
#endif

typedef struct layout {
	Elf64_Ehdr eh;
	Elf64_Phdr ph[32];
	size_t span; /* bytes of address space */
	const Elf64_Dyn *dyn;
	size_t ndyn;
} layout;

static const char *read_headers(layout *l, int fd) {
	off_t size = lseek(fd, 0, SEEK_END);
	if (size < (off_t)sizeof l->eh) return "truncated file";
	if (pread(fd, &l->eh, sizeof l->eh, 0) != sizeof l->eh) return "unreadable";
	const Elf64_Ehdr *e = &l->eh;
	if (memcmp(e->e_ident, ELFMAG, SELFMAG) || e->e_ident[EI_CLASS] != ELFCLASS64 || e->e_type != ET_DYN) return "not a 64-bit shared object";
	if (e->e_machine != MACHINE) return "built for another processor";
	if (e->e_phnum == 0 || e->e_phnum > 32 || e->e_phentsize != sizeof l->ph[0]) return "bad program headers";
	size_t want = e->e_phnum * sizeof l->ph[0];
	if (pread(fd, l->ph, want, (off_t)e->e_phoff) != (ssize_t)want) return "truncated program headers";
	for (int i = 0; i < e->e_phnum; i++) {
		const Elf64_Phdr *p = &l->ph[i];
		if (p->p_type == PT_TLS) return "needs thread-local storage";
		if (p->p_type == PT_INTERP) return "is a program, not an image";
		if (p->p_type != PT_LOAD) continue;
		if (p->p_memsz < p->p_filesz || p->p_vaddr > (1ull << 40) || p->p_memsz > (1ull << 40)) return "bad segment";
		if (p->p_offset > (size_t)size || p->p_filesz > (size_t)size - p->p_offset) return "truncated segment";
		if (p->p_vaddr + p->p_memsz > l->span) l->span = p->p_vaddr + p->p_memsz;
	}
	return l->span ? NULL : "nothing to map";
}

static int protection(const Elf64_Phdr *p) {
	return (p->p_flags & PF_R ? PROT_READ : 0) | (p->p_flags & PF_W ? PROT_WRITE : 0) | (p->p_flags & PF_X ? PROT_EXEC : 0);
}

/* Segments are mapped writable for the relocations and get their protection afterwards. */
static const char *map_segments(image *im, layout *l, int fd) {
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	im->len = (l->span + page - 1) / page * page;
	im->base = mmap(NULL, im->len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (im->base == MAP_FAILED) return im->base = NULL, "memory";
	for (int i = 0; i < l->eh.e_phnum; i++) {
		const Elf64_Phdr *p = &l->ph[i];
		if (p->p_type != PT_LOAD || !p->p_memsz) continue;
		size_t start = p->p_vaddr / page * page, end = (p->p_vaddr + p->p_memsz + page - 1) / page * page;
		if (mmap(im->base + start, end - start, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) return "memory";
		if (p->p_filesz && pread(fd, im->base + p->p_vaddr, p->p_filesz, (off_t)p->p_offset) != (ssize_t)p->p_filesz) return "truncated segment";
	}
	for (int i = 0; i < l->eh.e_phnum; i++)
		if (l->ph[i].p_type == PT_DYNAMIC) {
			if (l->ph[i].p_vaddr > l->span || l->ph[i].p_memsz > l->span - l->ph[i].p_vaddr) return "bad dynamic section";
			l->dyn = (const Elf64_Dyn *)(im->base + l->ph[i].p_vaddr);
			l->ndyn = l->ph[i].p_memsz / sizeof *l->dyn;
		}
	return l->dyn ? NULL : "no dynamic section";
}

static const char *protect_segments(image *im, layout *l) {
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	for (int i = 0; i < l->eh.e_phnum; i++) {
		const Elf64_Phdr *p = &l->ph[i];
		if (p->p_type != PT_LOAD || !p->p_memsz) continue;
		size_t start = p->p_vaddr / page * page, end = (p->p_vaddr + p->p_memsz + page - 1) / page * page;
		if (protection(p) & PROT_EXEC) __builtin___clear_cache(im->base + start, im->base + end);
		if (mprotect(im->base + start, end - start, protection(p))) return "cannot be protected";
	}
	return NULL;
}

static uint64_t dyn_value(const layout *l, int64_t tag) {
	for (size_t i = 0; i < l->ndyn && l->dyn[i].d_tag != DT_NULL; i++)
		if (l->dyn[i].d_tag == tag) return l->dyn[i].d_un.d_val;
	return 0;
}

static int inside(const image *im, uint64_t at, uint64_t n) { return at <= im->len && n <= im->len - at; }

/* The number of dynamic symbols follows from the last chain of the GNU hash table. */
static size_t count_symbols(const image *im, uint64_t at) {
	if (!at || !inside(im, at, 16)) return 0;
	const uint32_t *h = (const uint32_t *)(im->base + at);
	uint64_t bloom = (uint64_t)h[2] * 8, buckets = at + 16 + bloom, chain = buckets + (uint64_t)h[0] * 4, last = 0;
	if (!inside(im, buckets, (uint64_t)h[0] * 4)) return 0;
	for (uint32_t i = 0; i < h[0]; i++) {
		uint32_t b = ((const uint32_t *)(im->base + buckets))[i];
		if (b > last) last = b;
	}
	if (last < h[1]) return h[1];
	while (inside(im, chain + (last - h[1]) * 4, 4) && !(((const uint32_t *)(im->base + chain))[last - h[1]] & 1)) last++;
	return last + 1;
}

static const char *relocate_one(image *im, const Elf64_Rela *r) {
	if (!inside(im, r->r_offset, 8)) return "relocation outside the image";
	uint64_t value = (uint64_t)im->base + (uint64_t)r->r_addend;
	uint32_t type = ELF64_R_TYPE(r->r_info), sym = ELF64_R_SYM(r->r_info);
	if (type == 0) return NULL;
	if (type != REL_RELATIVE) {
		if (type != REL_ABS && type != REL_GLOB && type != REL_JUMP) return "unknown relocation";
		if (sym >= im->nsyms) return "relocation to no symbol";
		const Elf64_Sym *s = (const Elf64_Sym *)im->symtab + sym;
		if (s->st_shndx == SHN_UNDEF) return "undefined symbol";
		value += s->st_value;
	}
	memcpy(im->base + r->r_offset, &value, 8);
	return NULL;
}

static const char *relocate_table(image *im, uint64_t at, uint64_t size) {
	if (!inside(im, at, size)) return "bad relocation table";
	for (uint64_t i = 0; i + sizeof(Elf64_Rela) <= size; i += sizeof(Elf64_Rela)) {
		const char *why = relocate_one(im, (const Elf64_Rela *)(im->base + at + i));
		if (why) return why;
	}
	return NULL;
}

static const char *link_image(image *im, layout *l) {
	if (dyn_value(l, DT_NEEDED)) return "needs other libraries";
	if (dyn_value(l, DT_INIT) || dyn_value(l, DT_INIT_ARRAYSZ)) return "has constructors";
	if (dyn_value(l, DT_REL) || dyn_value(l, 36 /* DT_RELR */)) return "relocation format not supported";
	uint64_t sym = dyn_value(l, DT_SYMTAB), str = dyn_value(l, DT_STRTAB);
	im->strsz = dyn_value(l, DT_STRSZ);
	im->nsyms = count_symbols(im, dyn_value(l, DT_GNU_HASH));
	if (!inside(im, sym, im->nsyms * sizeof(Elf64_Sym)) || !inside(im, str, im->strsz) || !im->strsz) return "bad symbol table";
	im->symtab = im->base + sym;
	im->strtab = im->base + str;
	const char *why = relocate_table(im, dyn_value(l, DT_RELA), dyn_value(l, DT_RELASZ));
	if (!why) why = relocate_table(im, dyn_value(l, DT_JMPREL), dyn_value(l, DT_PLTRELSZ));
	return why;
}

const char *image_map(image *im, int fd) {
	layout l = {0};
	memset(im, 0, sizeof *im);
	const char *why = read_headers(&l, fd);
	if (!why) why = map_segments(im, &l, fd);
	if (!why) why = link_image(im, &l);
	if (!why) why = protect_segments(im, &l);
	if (why) image_unmap(im);
	else im->used = 1;
	return why;
}

void image_unmap(image *im) {
	if (im->base) munmap(im->base, im->len);
	memset(im, 0, sizeof *im);
}

void *image_symbol(const image *im, const char *name) {
	const Elf64_Sym *s = im->symtab;
	size_t n = strlen(name);
	for (size_t i = 0; i < im->nsyms; i++)
		if (s[i].st_shndx != SHN_UNDEF && s[i].st_name < im->strsz && n < im->strsz - s[i].st_name && !memcmp((const char *)im->strtab + s[i].st_name, name, n + 1) &&
		    s[i].st_value < im->len)
			return im->base + s[i].st_value;
	return NULL;
}
