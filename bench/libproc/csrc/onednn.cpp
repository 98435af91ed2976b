// oneDNN on one product of matrices or one convolution with bias and relu, in the
// layouts that it chooses itself wherever a compiler may. Usage:
//   onednnbench COPIES matmul BATCH M N K TURNED
//   onednnbench COPIES conv CI H W CO KERNEL STRIDE PAD GROUPS
// Every call takes the next of COPIES weights. A batch has no weights: its right-hand
// matrices lie as they are, TURNED as N rows of K.
#include <unordered_map>
#include <vector>

#include "dnnl.hpp"
#include "serve.h"

#if DNNL_VERSION_MAJOR != 2
#error "this program is written for oneDNN 2"
#endif

using namespace dnnl;
using dims = memory::dims;
static const auto F32 = memory::data_type::f32;
static const auto ANY = memory::format_tag::any;

static engine cpu(engine::kind::cpu, 0);
static stream queue(cpu);
static primitive op;
static std::vector<std::unordered_map<int, memory>> args;
static size_t at;

static memory make(const memory::desc &d) {
  memory m(d, cpu);
  float *p = static_cast<float *>(m.get_data_handle());
  for (size_t i = 0; i < d.get_size() / sizeof *p; i++) p[i] = (float)(int)(i % 7) - 3;
  return m;
}

static void bind(int copies, const memory::desc &src, const memory::desc &weights, const memory::desc &dst, const memory::desc *bias) {
  memory s = make(src), d = make(dst), b;
  if (bias) b = make(*bias);
  for (int i = 0; i < copies; i++) {
    args.push_back({{DNNL_ARG_SRC, s}, {DNNL_ARG_WEIGHTS, make(weights)}, {DNNL_ARG_DST, d}});
    if (bias) args.back()[DNNL_ARG_BIAS] = b;
  }
}

static void make_matmul(int copies, char **v) {
  long batch = atol(v[0]), m = atol(v[1]), n = atol(v[2]), k = atol(v[3]), turned = atol(v[4]);
  memory::desc a({batch, m, k}, F32, dims{m * k, k, 1}), c({batch, m, n}, F32, dims{m * n, n, 1});
  memory::desc b({batch, k, n}, F32, turned ? dims{n * k, 1, k} : dims{n * k, n, 1});
  if (batch == 1) {
    a = memory::desc({m, k}, F32, dims{k, 1}), c = memory::desc({m, n}, F32, dims{n, 1});
    b = memory::desc({k, n}, F32, ANY);
  }
  matmul::primitive_desc pd(matmul::desc(a, b, c), cpu);
  op = matmul(pd);
  bind(copies, pd.src_desc(), pd.weights_desc(), pd.dst_desc(), nullptr);
}

static void make_conv(int copies, char **v) {
  long ci = atol(v[0]), h = atol(v[1]), w = atol(v[2]), co = atol(v[3]), r = atol(v[4]), s = atol(v[5]), p = atol(v[6]), g = atol(v[7]);
  long oh = (h + 2 * p - r) / s + 1, ow = (w + 2 * p - r) / s + 1;
  memory::desc src({1, ci, h, w}, F32, ANY), dst({1, co, oh, ow}, F32, ANY), bias({co}, F32, ANY);
  memory::desc weights(g == 1 ? dims{co, ci, r, r} : dims{g, co / g, ci / g, r, r}, F32, ANY);
  post_ops relu;
  relu.append_eltwise(1.f, algorithm::eltwise_relu, 0.f, 0.f);
  primitive_attr attr;
  attr.set_post_ops(relu);
  convolution_forward::desc d(prop_kind::forward_inference, algorithm::convolution_direct, src, weights, bias, dst, {s, s}, {p, p}, {p, p});
  convolution_forward::primitive_desc pd(d, attr, cpu);
  op = convolution_forward(pd);
  memory::desc bd = pd.bias_desc();
  bind(copies, pd.src_desc(), pd.weights_desc(), pd.dst_desc(), &bd);
}

static void run() {
  op.execute(queue, args[at]);
  queue.wait();
  at = (at + 1) % args.size();
}

int main(int argc, char **argv) {
  if (argc == 8 && !strcmp(argv[2], "matmul")) make_matmul(atoi(argv[1]), argv + 3);
  else if (argc == 11 && !strcmp(argv[2], "conv")) make_conv(atoi(argv[1]), argv + 3);
  else return 2;
  serve(run, nullptr);
  return 0;
}
